"""Benchmarks: a module each, with a `main` that prints a table and returns 1 where a goal is missed."""
