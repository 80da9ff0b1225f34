"""True outlines of separated cards in photographs, fitted without the reader: `true_outlines`.

Regions of several thresholds are candidates. Each side of a candidate is fitted to the points, at sub-pixel accuracy,
at which the colour changes from the card's paper to the ground; a fit counts only if almost all of those points lie on
four straight lines, with paper all along their inner side and ground all along their outer side, and if the four
corners are those of a card-shaped rectangle seen by some camera. Cards that touch or overlap others, that the picture's
edge cuts, or that hardly differ from the ground are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

Points = npt.NDArray[np.float64]
"""(N, 2) pixels; pixel centres have integer coordinates."""
Profile = npt.NDArray[np.floating]

_WORK: Final = 900
"""Longer side of the picture in which regions are found, pixels."""
_LEVELS: Final = 14
_LEAST_SIDE: Final = 30.0
"""Shortest side of a card in that picture, pixels."""
_SAMPLES: Final = 60
_PART: Final = (0.1, 0.9)
"""Part of each side that is fitted, because the corners are round."""
_REACHES: Final = (0.06, 0.03, 0.02)
"""Distance within which each round of the fit searches for a side, in short sides."""
_SMOOTH: Final = 0.008
"""Depth over which paper and ground are averaged on both sides of the edge, in short sides."""
_BESIDE: Final = (0.012, 0.035)
"""Depth in short sides at which the colours of paper and ground are taken."""
_BLUR: Final = (1.2, 1.8, 4.0)
"""Least values of `_SMOOTH` and `_BESIDE`, pixels: small pictures are not sharper."""
_FAR: Final = 0.07
"""Distance in short sides up to which there must be no other paper beside the card."""
_TOLERANCE: Final = 0.006
"""Largest distance of a point from the line that it lies on, in short sides; at least one pixel."""
_ON_LINE: Final = 0.88
"""Least share of the points of each side that lie on its line."""
_PLAIN: Final = 0.8
"""Least share of plain paper along each side."""
_OTHER_PAPER: Final = 0.2
"""Largest share of a side that may have other paper beside it."""
_CONTRAST: Final = 14.0
"""Least difference of paper and ground, in units of Lab with 8 bits."""
_DARKER: Final = 8.0
"""The ground is darker than the paper by this much in its darkest channel, grey levels."""
_ASPECTS: Final = (1.33, 1.62)
"""Long by short side of a card: 1.4 for poker, 1.54 for bridge size."""
_SQUARE: Final = 0.04
"""Largest cosine of the angle between the sides of the card."""
_FOCAL: Final = (0.6, 0.75, 0.9, 1.1, 1.4, 2.0, 4.0, 1000.0)
"""Focal lengths that the camera may have, in longer sides of the picture."""


def true_outlines(image: Image) -> list[Points]:
    """Return the outlines (4, 2) of the cards in `image` ((H, W, 3) uint8 BGR) that lie apart, clockwise, pixels."""
    lab = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), np.float32)
    planes = np.dstack([lab, image.min(axis=2).astype(np.float32)])
    found: list[Points] = []
    for quad in _candidates(image):
        if not any(_same(quad, other) for other in found) and (fit := _fitted(planes, quad)) is not None:
            found.append(fit)
    kept: list[Points] = []
    for quad in sorted(found, key=lambda outline: -cv2.contourArea(outline.astype(np.float32))):
        if all(_overlap(quad, other) < 0.02 for other in kept):
            kept.append(quad)
    return kept


def _candidates(image: Image) -> Iterator[Points]:
    """Yield rough quadrilaterals of regions, in pixels of `image`."""
    scale = min(1.0, _WORK / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), 1.0)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    chroma = np.hypot(lab[..., 1] - 128, lab[..., 2] - 128)
    seen: set[tuple[int, ...]] = set()
    for plane in (small.min(axis=2).astype(np.float32), lab[..., 0], lab[..., 0] - 2 * chroma, -chroma):
        low, high = np.percentile(plane, (2, 99.5))
        for level in np.linspace(low, high, _LEVELS + 2)[1:-1]:
            mask = (plane > level).astype(np.uint8)
            contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
            for contour in contours:
                if len(contour) < 3 * _LEAST_SIDE:
                    continue
                quad = _quad_of(np.asarray(contour, np.int32).reshape(-1, 2), mask.shape[:2])
                if quad is None:
                    continue
                key = tuple(np.rint(quad / 4).astype(int).reshape(-1).tolist())
                if key not in seen:
                    seen.add(key)
                    yield (quad + 0.5) / scale - 0.5


def _quad_of(contour: npt.NDArray[np.int32], shape: tuple[int, ...]) -> Points | None:
    """Return the quadrilateral whose sides lie along most of the contour (N, 2), clockwise; None if there is none."""
    low, high = contour.min(axis=0), contour.max(axis=0)
    width, height = (high - low).tolist()
    if min(width, height) < _LEAST_SIDE or low.min() < 2 or high[0] > shape[1] - 3 or high[1] > shape[0] - 3:
        return None
    hull = cv2.convexHull(contour)  # clockwise as seen: y is down
    if cv2.contourArea(contour) < 0.8 * cv2.contourArea(hull):
        return None
    perimeter = cv2.arcLength(hull, True)
    for share in (0.02, 0.03, 0.04, 0.055, 0.07, 0.09):
        corners = cv2.approxPolyDP(hull, share * perimeter, True).reshape(-1, 2).astype(np.float64)
        if len(corners) == 4:
            break
    else:
        return None
    lines = []
    dense = contour.astype(np.float64)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        span = end - start
        length = math.hypot(*span)
        along, across = (dense - start) @ span / length**2, np.abs(_cross(span, dense - start)) / length
        some = dense[(along > 0.15) & (along < 0.85) & (across < 0.06 * length)]
        if len(some) < 0.5 * length:
            return None
        vx, vy, x, y = cv2.fitLine(some.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).reshape(-1).tolist()
        lines.append((np.array([x, y]), np.array([vx, vy])))
    return _meeting(lines)


def _meeting(lines: list[tuple[Points, Points]]) -> Points | None:
    """Return where each line (a point, a direction) meets the one before it; None if two are parallel."""
    flat = np.array([np.cross((*point, 1.0), (*(point + direction), 1.0)) for point, direction in lines])
    corners = np.cross(np.roll(flat, 1, axis=0), flat)
    if np.abs(corners[:, 2]).min() < 1e-9:
        return None
    return np.asarray(corners[:, :2] / corners[:, 2:])


def _fitted(planes: Profile, quad: Points) -> Points | None:
    """Return the quadrilateral moved onto the edge of the paper, None if it is not a card that lies apart."""
    tall, wide = planes.shape[:2]
    for reach in _REACHES:
        if not _is_sound(quad, (tall, wide)):
            return None
        short = _short_side(quad)
        lines = []
        worst = 1.0
        for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
            side = _side(planes, start, end, short, reach)
            if side is None:
                return None
            line, share = side
            lines.append(line)
            worst = min(worst, share)
        moved = _meeting(lines)
        if moved is None or np.abs(moved - quad).max() > 3 * reach * short:
            return None
        quad = moved
    return quad if worst >= _ON_LINE and _is_sound(quad, (tall, wide)) and _is_card(quad, (tall, wide)) else None


def _side(
    planes: Profile, start: Points, end: Points, short: float, reach: float
) -> tuple[tuple[Points, Points], float] | None:
    """Return the line (a point, a direction) of one side, and the share of its points that lie on it.

    None if the ground differs too little from the paper, or the paper is not plain. `short`: shortest side, pixels.
    """
    span = (end - start) / math.hypot(*(end - start))
    inward = np.array([-span[1], span[0]])
    step = max(0.25, reach * short / 60)
    smooth, least, most = (max(share * short, px) for share, px in zip((_SMOOTH, *_BESIDE), _BLUR, strict=True))
    close = reach * short
    depth = np.arange(-max(close, _FAR * short) - smooth, close + most, step)
    along = np.linspace(*_PART, _SAMPLES)
    base = start + (end - start) * along[:, None]
    grid = (base[:, None] + inward * depth[None, :, None]).astype(np.float32)
    seen = cv2.remap(planes, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    paper, ground = _colours(np.asarray(seen, np.float32), depth, least, max(most, close))
    axis = (paper - ground)[:3]
    contrast = float(np.linalg.norm(axis))
    if contrast < _CONTRAST or paper[3] < ground[3] + _DARKER:
        return None
    share = np.clip((seen[..., :3] - ground[:3]) @ axis / contrast**2, -0.5, 1.5)  # 0: ground, 1: paper
    width = max(2, round(smooth / step))
    total = np.cumsum(np.pad(np.clip(share, 0, 1), ((0, 0), (1, 0))), axis=1)
    mean = (total[:, width:] - total[:, :-width]) / width  # of `width` points from each one on
    rise = mean[:, width:] - mean[:, :-width]  # the edge lies before point k + width
    middle = depth[width : width + rise.shape[1]]
    rise = np.where(np.abs(middle) <= close, rise, -1.0)
    best = rise.argmax(axis=1)
    place = _crossings(share, depth, best + width)
    strong = rise.max(axis=1) > 0.4
    if strong.sum() < 0.5 * _SAMPLES:
        return None
    x = along * math.hypot(*(end - start))
    slope, shift = _line(x[strong], place[strong], max(0.4, 0.2 * _TOLERANCE * short))
    off = np.abs(place - slope * x - shift)
    good = strong & (off < max(1.0, _TOLERANCE * short))
    if reach == _REACHES[-1]:
        inner = (depth > least) & (depth < most)
        plain = np.abs(share[:, inner] - 1).mean(axis=1) < 0.3
        outer = depth < -smooth - width * step
        other = (mean[:, : rise.shape[1]][:, outer[: rise.shape[1]]] > 0.75).any(axis=1)
        if plain.mean() < _PLAIN or other.mean() > _OTHER_PAPER:
            return None
    return (start + inward * shift, span + inward * slope), float(good.mean())


def _colours(seen: Profile, depth: Points, least: float, most: float) -> tuple[Profile, Profile]:
    """Return the colours of paper and ground: medians at `least` to `most` pixels inside and outside."""
    inside = seen[:, (depth > least) & (depth < most)].reshape(-1, seen.shape[2])
    outside = seen[:, (depth < -least) & (depth > -most)].reshape(-1, seen.shape[2])
    return np.median(inside, axis=0), np.median(outside, axis=0)


def _crossings(share: Profile, depth: Points, near: npt.NDArray[np.intp]) -> Points:
    """Return for each row the depth nearest to point `near` at which the share of paper rises through one half."""
    up = (share[:, :-1] < 0.5) & (share[:, 1:] >= 0.5)
    away = np.abs(np.arange(up.shape[1]) + 0.5 - near[:, None])
    k = np.where(up, away, np.inf).argmin(axis=1)
    rows = np.arange(len(share))
    low, high = share[rows, k], share[rows, k + 1]
    rest = np.where(up[rows, k], (0.5 - low) / np.maximum(high - low, 1e-6), 0.5)
    return np.asarray(depth[k] + rest * (depth[1] - depth[0]))


def _line(x: Points, y: Points, scale: float) -> tuple[float, float]:
    """Fit `y = slope * x + shift` with Cauchy weights of this `scale`, from the most agreeing pair of points on."""
    i, j = np.triu_indices(len(x), max(1, len(x) // 3))
    slopes = (y[j] - y[i]) / (x[j] - x[i])
    slope = float(np.median(slopes))
    shift = float(np.median(y - slope * x))
    for _ in range(12):
        weight = 1 / (1 + ((y - slope * x - shift) / scale) ** 2)
        mx, my = (weight * x).sum() / weight.sum(), (weight * y).sum() / weight.sum()
        slope = float((weight * (x - mx) * (y - my)).sum() / (weight * (x - mx) ** 2).sum())
        shift = float(my - slope * mx)
    return slope, shift


def _is_sound(quad: Points, shape: tuple[int, int]) -> bool:
    """Return whether the quadrilateral is convex, clockwise, large enough, and inside the picture."""
    span = np.roll(quad, -1, axis=0) - quad
    turn = _cross(span, np.roll(span, -1, axis=0))
    inside = quad.min() > 1 and quad[:, 0].max() < shape[1] - 2 and quad[:, 1].max() < shape[0] - 2
    lengths = np.hypot(span[:, 0], span[:, 1])
    return bool(inside and turn.min() > 0 and lengths.min() > 20 and lengths.max() < 4 * lengths.min())


def _is_card(quad: Points, shape: tuple[int, int]) -> bool:
    """Return whether a camera in front of the picture's centre may see a card-shaped rectangle like this."""
    long = max(shape)
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    centred = (quad - (shape[1] / 2, shape[0] / 2)) / long
    matrix = cv2.getPerspectiveTransform(flat, centred.astype(np.float32))
    for focal in _FOCAL:
        first, second = (matrix[:, k] / (focal, focal, 1.0) for k in (0, 1))
        across, down = np.linalg.norm(first), np.linalg.norm(second)
        aspect = max(across / down, down / across)
        if _ASPECTS[0] < aspect < _ASPECTS[1] and abs(first @ second) < _SQUARE * across * down:
            return True
    return False


def _short_side(quad: Points) -> float:
    return float(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).min())


def _cross(first: Points, second: Points) -> Points:
    return np.asarray(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])


def _same(first: Points, second: Points) -> bool:
    """Return whether the corners lie so close to each other that both would be fitted to the same edges."""
    turned = (np.roll(second, -k, axis=0) for k in range(4))
    near = 0.3 * _REACHES[0] * _short_side(second)
    return any(float(np.abs(first - other).max()) < near for other in turned)


def _overlap(first: Points, second: Points) -> float:
    """Return the area in common as a share of the smaller one."""
    ours, theirs = first.astype(np.float32), second.astype(np.float32)
    common, _ = cv2.intersectConvexConvex(ours, theirs)
    return float(common / min(cv2.contourArea(ours), cv2.contourArea(theirs)))
