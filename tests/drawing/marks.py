"""The printed mat, and cards with marks, as a camera above the table sees them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import cos, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from cardtable.paper.drawings import Marks, card_picture, mat_picture
from engine.cards import Card
from engine.games import word_marks
from engine.observations import ActionCard
from vision.frames import Image
from vision.marks.names import ARUCO_MM, QR_MM, faces_by_id
from vision.mat.layout import Mat
from vision.readings import CARD_MM

Matrix = npt.NDArray[np.float64]
PRINT_PX = 8.0
"""Pixels per millimetre of the pictures that are drawn into the scene."""


def camera(
    px_per_mm: float = 2.05,
    size: tuple[int, int] = (1920, 1080),
    turn: float = 0.0,
    tilt: float = 0.0,
    shift: tuple[float, float] = (0.0, 0.0),
) -> Matrix:
    """Millimetres on the mat to pixels: a camera above its middle, rotated (degrees) and tilted (perspective)."""
    angle = turn * pi / 180
    to_middle = np.array([[1, 0, -440.0], [0, 1, -250.0], [0, 0, 1]])
    scale = np.array(
        [
            [cos(angle) * px_per_mm, -sin(angle) * px_per_mm, 0],
            [sin(angle) * px_per_mm, cos(angle) * px_per_mm, 0],
            [0, tilt / 1e4, 1],
        ]
    )
    place = np.array([[1, 0, size[0] / 2 + shift[0]], [0, 1, size[1] / 2 + shift[1]], [0, 0, 1.0]])
    return np.asarray(place @ scale @ to_middle, dtype=np.float64)


def seen_mat(mat: Mat, view: Matrix, size: tuple[int, int] = (1920, 1080), px_per_mm: float = 3.0) -> Image:
    """The bare printed mat through the camera, on a brown table."""
    seen = np.full((size[1], size[0], 3), (52, 74, 98), np.uint8)
    _lay(seen, mat_picture(mat, px_per_mm), mat.size_mm, view)
    return seen


def lay(
    image: Image, face: Card | ActionCard, marks: Marks, view: Matrix, at_mm: Sequence[float], turn: float
) -> npt.NDArray[np.float64]:
    """Draw a card into the picture, its middle at `at_mm`, rotated clockwise; return its (4, 2) corners in pixels."""
    width, height = CARD_MM
    angle = turn * pi / 180
    place = np.array([[cos(angle), -sin(angle), at_mm[0]], [sin(angle), cos(angle), at_mm[1]], [0, 0, 1]])
    view = view @ place @ np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    _lay(image, _printed(face, marks), CARD_MM, view)
    corners = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], dtype=np.float64)
    return np.asarray(cv2.perspectiveTransform(corners, view)[0], dtype=np.float64)


Laid = tuple[Card | ActionCard, Matrix]
"""A card in a picture, and its (4, 2) corners in pixels."""
CLOTHS = ((70, 92, 31), (92, 60, 40), (40, 40, 110), (60, 60, 60))


@lru_cache(maxsize=4)
def twelve_cards(marks: Marks, px_per_module: float, seed: int) -> tuple[Image, list[Laid]]:
    """Twelve different worn cards at any angle in a 1080p picture, slightly tilted, in uneven light."""
    rng = np.random.default_rng([seed, round(10 * px_per_module)])
    scale = px_per_module / (ARUCO_MM / 6 if marks == "aruco" else QR_MM / 21)
    cloth = np.array(CLOTHS[seed % len(CLOTHS)], np.float32)
    image = np.clip(cloth + rng.normal(0, 6, (1080, 1920, 1)), 0, 255).astype(np.uint8)
    askew = np.array([[1, 0, 0], [0, 1, 0], [*rng.uniform(-4e-5, 4e-5, 2), 1]])
    view = np.array([[1, 0, 960.0], [0, 1, 540.0], [0, 0, 1]]) @ askew @ np.diag([scale, scale, 1.0])
    faces = list(faces_by_id(word_marks()).values())
    laid = []
    for place, pick in enumerate(rng.choice(len(faces), 12, replace=False).tolist()):
        x = (240 + 480 * (place % 4) - 960 + rng.uniform(-60, 60)) / scale
        y = (180 + 360 * (place // 4) - 540 + rng.uniform(-15, 15)) / scale
        laid.append((faces[pick], lay(image, faces[pick], marks, view, (x, y), rng.uniform(0, 360)) - 0.5))
    light = np.linspace(rng.uniform(0.6, 1), rng.uniform(0.6, 1), 1920)[None, :, None]
    return worn((image * light).astype(np.uint8), seed), laid


@cache
def _printed(face: Card | ActionCard, marks: Marks) -> Image:
    return card_picture(face, marks, PRINT_PX, words=word_marks())


def worn(image: Image, seed: int, blur: float = 0.8, noise: float = 4.0) -> Image:
    """Mild blur (sigma in pixels) and sensor noise (sigma in grey levels)."""
    soft = cv2.GaussianBlur(image, (0, 0), blur).astype(np.float32)
    grain = np.random.default_rng(seed).standard_normal(soft.shape, dtype=np.float32)
    return np.asarray(np.clip(soft + noise * grain, 0, 255), dtype=np.uint8)


def _lay(below: Image, picture: Image, size_mm: Sequence[float], view: Matrix) -> None:
    """Draw `picture`, of `size_mm`, over `below` as the camera sees it, with smooth edges."""
    shrink = float(np.sqrt(abs(np.linalg.det(view[:2, :2])))) * size_mm[0] / picture.shape[1]
    if shrink < 0.6:
        # Averaged first: a camera's pixel integrates the light over its area.
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.4 / shrink), dtype=np.uint8)
    corners = np.array([[(0, 0), (size_mm[0], 0), size_mm, (0, size_mm[1])]], dtype=np.float64)
    seen = cv2.perspectiveTransform(corners, view)[0]
    left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 2, 0).tolist()
    right, bottom = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 2, below.shape[1::-1]).tolist()
    # Pixel centres are at half units in the picture, at integers for cv2.
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    mm = np.diag([size_mm[0] / picture.shape[1], size_mm[1] / picture.shape[0], 1.0])
    shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1.0]])
    whole = shift @ np.linalg.inv(half) @ view @ mm @ half
    size = (right - left, bottom - top)
    laid = cv2.warpPerspective(picture, whole, size, flags=cv2.INTER_LINEAR)
    cover = cv2.warpPerspective(np.full(picture.shape[:2], 255, np.uint8), whole, size, flags=cv2.INTER_LINEAR)
    share = cover.astype(np.float32)[..., None] / 255
    part = below[top:bottom, left:right]
    part[:] = np.round(laid * share + part * (1 - share)).astype(np.uint8)
