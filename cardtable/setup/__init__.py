"""Setting a table up: the first start, calibrating the camera, and learning a deck."""
