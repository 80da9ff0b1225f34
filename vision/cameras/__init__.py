"""Frame sources: live cameras, videos, folders of pictures."""
