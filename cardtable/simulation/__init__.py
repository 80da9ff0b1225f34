"""The simulated table: robots play a real game, and a rendered camera shows it."""
