"""Pictures of cards and marks, drawn for the benchmarks and the tests."""
