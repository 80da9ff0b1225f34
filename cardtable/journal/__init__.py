"""The journal: every accepted action on disk, so that a game continues after a power cut."""
