"""Benchmarks: one module each, with a `main` that prints a table and returns 1 if a goal is missed.

What they draw is that of `tests.drawing`. No test of the product imports a benchmark.
"""
