"""From observations to actions: the cards seen, the actions that they stand for, and the prompts."""
