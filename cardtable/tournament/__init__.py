"""Tournaments: who plays whom, and how the results are counted. Pure: no clock, file, thread, network or chance."""
