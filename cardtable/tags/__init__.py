"""RFID tags: learning, testing and replaying, as `cardtable tags` does it."""
