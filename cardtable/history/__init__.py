"""The games that were played: statistics, the course of the score, replaying, files to download.

Everything is read from the journal. What is listed or counted comes from the summaries stored with the games
(`cardtable.journal.games`); one game is replayed to show its course or its steps.
"""
