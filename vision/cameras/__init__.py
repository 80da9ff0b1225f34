"""Where frames come from: cameras, recordings, folders of pictures."""
