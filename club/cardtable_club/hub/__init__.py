"""The hub of a club: it takes the journals of many tables, and shows standings and each table (docs/club.md)."""
