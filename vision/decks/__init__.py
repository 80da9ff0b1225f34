"""Learned decks: each card is learned from one picture; separated cards are then read by their whole face.

`deck.LearnedDeck` is the deck and its file; `capture` and `pictures` take faces from a camera and from picture files;
`matching` decides which card a face is, if any, and has the `Reader` of a learned deck, `DeckReader`.
"""
