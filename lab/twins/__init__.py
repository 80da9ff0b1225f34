"""Second implementations of the games, and their comparison with the engine over random games."""
