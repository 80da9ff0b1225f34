"""From observations to actions: the cards seen, what they mean, what the players are told."""
