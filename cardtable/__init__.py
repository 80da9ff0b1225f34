"""The application: command line, configuration, game loop, journal, board, printing, the simulated table."""
