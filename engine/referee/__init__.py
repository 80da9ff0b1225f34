"""From observations to actions: the cards seen, what they stand for, and what the players are asked to do."""
