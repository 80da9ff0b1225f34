"""A game being played: session, controller, journal, and what feeds and shows it."""
