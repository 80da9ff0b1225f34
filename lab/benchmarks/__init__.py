"""Benchmarks: one module each, with a `main` that prints a table and returns 1 if a goal is missed.

Their drawing code is in `tests.drawing`. No test of the product imports a benchmark.
"""
