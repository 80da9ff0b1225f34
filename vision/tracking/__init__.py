"""The cards on the table, tracked from frame to frame: `SceneTracker` turns frames and readings into scenes."""
