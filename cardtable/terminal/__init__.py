"""Text input and output of the command line: arguments, translated messages, progress, keys and the log."""
