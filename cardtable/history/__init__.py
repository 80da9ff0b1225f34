"""Past games: statistics, replays, the course of the score, and files to download.

Everything is read from the journal. Lists and statistics use the summaries stored with the games
(`cardtable.journal.games`). A game is replayed only to show its steps or the course of its score.
"""
