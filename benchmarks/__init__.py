"""Benchmarks: one module each, with a `main` that prints a table and returns 1 if a goal is missed."""
