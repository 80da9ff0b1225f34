"""The size of a picture, read before anything is decoded."""

from __future__ import annotations

import struct

import cv2
import numpy as np
import pytest

from vision.image_files import picture_size


def png() -> bytes:
    return cv2.imencode(".png", np.full((40, 30, 3), 200, np.uint8))[1].tobytes()


def test_a_picture_has_the_size_of_its_header() -> None:
    assert picture_size(png()) == (30, 40)


@pytest.mark.parametrize("kind", [b"IDAT", b"IEND", b"tEXt"])
def test_a_chunk_longer_than_the_file_is_no_picture(kind: bytes) -> None:
    """OpenCV reserves the memory that a chunk claims: a file of 178 bytes took two gigabytes."""
    chunk = struct.pack(">I4s", 0x7900007D, kind)
    assert picture_size(png()[:33] + chunk + png()[41:]) is None


def test_what_follows_the_last_chunk_does_not_matter() -> None:
    assert picture_size(png() + b"\xff" * 20) == (30, 40)


def test_a_tile_counts_as_much_as_the_picture() -> None:
    """It is decoded whole."""
    tags = {256: 30, 257: 40, 258: 8, 259: 1, 262: 1, 322: 50_000, 323: 60_000, 324: 8}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    tiff = struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + bytes(4)
    assert picture_size(tiff) == (50_000, 60_000)
