"""A club of card tables: the table's membership, the hub that collects what tables play, and tournaments."""
