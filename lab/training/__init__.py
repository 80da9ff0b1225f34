"""Train the models of the face reader: artwork, training data, training, evaluation, export.

`artwork` renders packaged decks. `corners`, `drawn_cards`, `scenes` and `glyphs` draw training pictures;
`corner_crops`, `detector_scenes` and `glyph_crops` make batches of them, one for each net, and `prefetch` draws them in
other processes. `classifier_net` and `detector_net` are the nets, `nets` joins them with their data, `loop` trains.

Needs the `train` extra (torch, Pillow, onnx); reading cards does not. `docs/explanation/reading.md` gives the commands.
"""
