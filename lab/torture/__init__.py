"""Crashes, faults, accidents, bad input and load: what the program must survive."""
