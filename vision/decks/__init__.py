"""Decks of one's own: each card is learned from one picture; separated cards are then read by their whole face.

`deck.LearnedDeck` is the deck and its file; `capture` and `pictures` take faces from a camera and from picture files;
`outlines` finds cards in a picture; `appearance` makes faces comparable; `matching` decides which card a face is, if
any; `reader.DeckReader` is the `Reader`.
"""
