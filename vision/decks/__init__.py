"""Decks of one's own: each card is learned from one look; separated cards are then read by their whole face.

`deck.OwnDeck` is the deck and its file, `showing` and `pictures` take faces from a camera and from pictures, `finding`
finds cards in a picture, `looks` makes them comparable, `matching` says which one it is, or that it is none, and
`reader.DeckReader` is the `Reader`.
"""
