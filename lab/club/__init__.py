"""Benchmarks of the hub and of the link between a table and its club."""
