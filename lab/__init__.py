"""Training, benchmarks and torture: what measures and makes the product, and is not part of it."""
