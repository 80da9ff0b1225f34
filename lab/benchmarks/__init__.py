"""Benchmarks: one module each, with a `main` that prints a table and returns 1 if a goal is missed.

`drawn` has pictures of cards that the tests use, too. Tests import benchmarks, never the other way round.
"""
