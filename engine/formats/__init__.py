"""Games in the formats of other programs: a module for each format, and one shape of a board of bridge.

`reading.read_games` finds out the format of a file by its content. Every reader judges each board by itself: it yields
the boards that it can read, and a `Fault` for each of the others.

Why these are not the parsers of endplay 0.5.12 (MIT): it refuses a whole file because of one board, raises errors that
it does not document, cannot read a Vugraph file with two tables, and brings matplotlib and a compiled solver. Of 751
files of PBN it reads 719. The tests compare both.
"""
