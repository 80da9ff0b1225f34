"""Corners cut from photographs whose licence allows training.

A set is a folder with `truth.json` (a list of `{"image", "boxes": [{"label", "xyxy", "kind"}]}`) and `images/`. The
outline comes from the reader's own quad finder, the label from the box of a whole card around it.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from vision.faces.crops import Quad, card_homography
from vision.faces.edges import refined
from vision.faces.geometry import portrait, turned
from vision.faces.quads import Quads
from vision.faces.reader import pyramid
from vision.frames import Image
from vision.training.corners import CANVAS, ORIGIN, SCALE, Sample
from vision.training.files import imread

AGREE = 0.7
"""Least intersection over union of the outline's upright bounding box and the labelled box."""


def photo_corners(folder: Path) -> list[Sample]:
    """Both index corners of every separate, labelled card in `folder`."""
    samples: list[Sample] = []
    for entry in json.loads((folder / "truth.json").read_text("utf-8")):
        boxes = [box for box in entry.get("boxes", []) if box["kind"] == "card" and "?" not in box["label"]]
        if not boxes:
            continue
        image = imread(folder / "images" / entry["image"])[..., :3]
        levels = pyramid(image)
        for proposal in Quads(levels).contours():
            quad = portrait(refined(levels, proposal.quad))
            for box in boxes:
                if _agreement(quad, box["xyxy"]) > AGREE:
                    label = (box["label"][:-1], box["label"][-1])
                    samples += [(_canvas(image, turned(quad, turn)), label) for turn in (0, 2)]
    return samples


def _agreement(quad: Quad, box: list[float]) -> float:
    low, high = quad.min(axis=0), quad.max(axis=0)
    common = np.clip(np.minimum(high, box[2:]) - np.maximum(low, box[:2]), 0, None).prod()
    return float(common / ((high - low).prod() + (box[2] - box[0]) * (box[3] - box[1]) - common))


def _canvas(image: Image, quad: Quad) -> Image:
    """The corner as the other corners are drawn: 4 px/mm, the card's edge at `ORIGIN`."""
    offset = np.array([[1 / SCALE, 0, -ORIGIN / SCALE], [0, 1 / SCALE, -ORIGIN / SCALE], [0, 0, 1]])
    matrix = card_homography(quad) @ offset
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (CANVAS[1], CANVAS[0])
    return np.asarray(cv2.warpPerspective(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)
