"""The commands that the club adds to `cardtable`: `club`, `hub` and `tournament`."""
