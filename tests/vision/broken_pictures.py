"""Picture files that cannot be decoded."""

from __future__ import annotations

import struct
import zlib


def png_header(width: int, height: int) -> bytes:
    """Return a PNG file with a header for this size, in pixels, and almost no data."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    size = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(bytes(9))) + chunk(b"IEND", b"")
