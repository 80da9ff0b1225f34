"""The terminal: arguments, output in the user's language, typed input, diagnostics."""
