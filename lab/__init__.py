"""Training, benchmarks and torture: programs that make and measure the product without being part of it."""
