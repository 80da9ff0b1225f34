"""The demo: a whole game on the simulated table, and a comparison of the record with what was really played."""
