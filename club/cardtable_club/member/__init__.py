"""The table's side of a club: the journal and the state of the table, published over MQTT (club/docs/club.md).

The journal of the table is the truth and the buffer. The hub of the club acknowledges what it has committed; everything
after that is sent again. Without broker or hub the table plays on as it does without a club.
"""
