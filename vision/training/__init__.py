"""How the face reader's model is made: artwork, augmented crops, training, evaluation, export.

Needs the `training` extra (torch, Pillow, onnx); reading cards does not. `docs/reading.md` gives the commands.
"""
