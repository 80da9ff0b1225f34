"""Training data from photographs whose licence allows it: corners of cards, places without cards, whole photographs.

One picture in four of each set is held out for evaluation. A set is a folder with `truth.json` (a list of
`{"image", "cards", "complete", "boxes": [{"label", "xyxy", "kind"}]}`) and `images/`. For the corners of cards the
outline comes from the reader's own outline finder, and the label from the labelled box around it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from lab.training.artwork import SCALE
from lab.training.corners import CANVAS, ORIGIN, Sample
from lab.training.files import held_out, imread
from vision.faces.crops import card_homography
from vision.faces.edges import refine_outline
from vision.faces.geometry import Quad, portrait, starting_at
from vision.faces.outline_finder import OutlineFinder
from vision.faces.pyramid import image_pyramid
from vision.frames import Image

MIN_BACKGROUND = 130
"""Shortest side of a background, pixels."""
MIN_IOU = 0.7
"""Least IoU of the outline's bounding box and the labelled box of the same card."""


def _entries(folder: Path) -> Iterator[dict[str, Any]]:
    for entry in json.loads((folder / "truth.json").read_text("utf-8")):
        if not held_out(folder.name, entry["image"]):
            yield entry


def photographs(folder: Path) -> list[Image]:
    """Return the photographs of a set that are not held out, (H, W, 3) uint8 BGR.

    Raises `OSError` if a file cannot be read.
    """
    return [image for _, image in labelled_photographs(folder)]


def labelled_photographs(folder: Path) -> Iterator[tuple[dict[str, Any], Image]]:
    """Yield the labels of each photograph of a set that is not held out, and the photograph, as `photographs` does."""
    for entry in _entries(folder):
        yield entry, _photograph(folder, entry)


def _photograph(folder: Path, entry: dict[str, Any]) -> Image:
    return np.asarray(imread(folder / "images" / entry["image"])[..., :3], np.uint8)


def photo_backgrounds(folder: Path) -> list[Image]:
    """Return the largest of 400 random squares without a card, for each picture whose cards are all labelled."""
    rng = np.random.default_rng(zlib.crc32(folder.name.encode()))
    backgrounds: list[Image] = []
    for entry in _entries(folder):
        boxes = [box["xyxy"] for box in entry.get("boxes", []) if box["kind"] == "card"]
        if len(boxes) != len(entry["cards"]) or not entry["complete"]:
            continue
        image = _photograph(folder, entry)
        height, width = image.shape[:2]
        best = np.zeros((0, 0, 3), np.uint8)
        for _ in range(400):
            side = int(rng.integers(MIN_BACKGROUND // 2, min(height, width)))
            x, y = int(rng.integers(0, width - side + 1)), int(rng.integers(0, height - side + 1))
            clear = all(x > b[2] + 8 or x + side < b[0] - 8 or y > b[3] + 8 or y + side < b[1] - 8 for b in boxes)
            if clear and side > best.shape[0]:
                best = image[y : y + side, x : x + side]
        if best.shape[0] >= MIN_BACKGROUND:
            backgrounds.append(np.ascontiguousarray(best))
    return backgrounds


def photo_corners(folder: Path) -> list[Sample]:
    """Return both index corners of every separate, labelled card in `folder`."""
    samples: list[Sample] = []
    for entry in _entries(folder):
        boxes = [box for box in entry.get("boxes", []) if box["kind"] == "card" and "?" not in box["label"]]
        if not boxes:
            continue
        image = _photograph(folder, entry)
        levels = image_pyramid(image)
        for proposal in OutlineFinder(levels).contours():
            quad = portrait(refine_outline(levels, proposal.quad))
            for box in boxes:
                if _box_iou(quad, box["xyxy"]) > MIN_IOU:
                    label = (box["label"][:-1], box["label"][-1])
                    samples += [(_canvas(image, starting_at(quad, turn)), label) for turn in (0, 2)]
    return samples


def _box_iou(quad: Quad, box: list[float]) -> float:
    low, high = quad.min(axis=0), quad.max(axis=0)
    common = np.clip(np.minimum(high, box[2:]) - np.maximum(low, box[:2]), 0, None).prod()
    return float(common / ((high - low).prod() + (box[2] - box[0]) * (box[3] - box[1]) - common))


def _canvas(image: Image, quad: Quad) -> Image:
    """Return the corner in the form of the drawn corners: 4 px/mm, the card's edge at `ORIGIN`."""
    offset = np.array([[1 / SCALE, 0, -ORIGIN / SCALE], [0, 1 / SCALE, -ORIGIN / SCALE], [0, 0, 1]])
    matrix = card_homography(quad) @ offset
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (CANVAS[1], CANVAS[0])
    return np.asarray(cv2.warpPerspective(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)
