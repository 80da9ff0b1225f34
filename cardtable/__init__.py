"""The application: command line, configuration, controller, journal, board, printing, the simulated table."""
