"""The light on the table: what the pictures of a camera show of it, and how a camera is exposed for the cards."""
