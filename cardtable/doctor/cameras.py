"""Checks of the cameras, and a search for the cameras of this machine.

A check covers the size, brightness and sharpness of the pictures, and the four corner marks. Brightness and sharpness
are measured on the corner marks, which are black on white and of known size, and on every card that is read.
`find_cameras` lists the USB cameras that V4L2 reports, and the Raspberry Pi's own.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from cardtable.config.decks import unlearned
from cardtable.config.devices import CameraConfig
from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Finding, Machine, good, trouble, warning
from cardtable.errors import CardtableError
from cardtable.table.cameras import mat_for, open_camera
from engine.cards import Card
from engine.observations import ActionCard, Lost
from engine.texts import commas, decimals, plural, text, word_text
from vision.camera_pipeline import CameraPipeline
from vision.cameras.settings import SYSTEM_PYTHON
from vision.frames import Image
from vision.light.measures import Grey, grey, rectified, spread_mm
from vision.light.watch import BLURRED_MM
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.tracking.track import Track

FRAMES: Final = 40
"""Minimum number of frames to examine: enough to read the cards on the table."""
LOOK_S: Final = 5.0
"""Minimum duration of the frames, in seconds: judging the light takes three looks, one second apart."""
_RECOMMENDED_WIDTH_PX: Final = 1280
DARK: Final = 70.0
"""Below this grey value (of 255), the marks' white is too dark."""
PALE: Final = 1.8
"""Below this ratio of the marks' white to their black, the contrast is too low."""
GLARE: Final = 0.6
"""Above this overexposed share of the marks' white, there is a warning."""
_OVEREXPOSED: Final = 254
"""Grey value from which a pixel counts as overexposed."""
_PRINTED: Final = 0.5
"""Minimum printed share of a card, in percent: an ace has little more than its two indices."""
SOFT_MM: Final = 0.8
"""Above this blur (standard deviation in millimetres on the mat), edges are soft."""
_MANY_RESTARTS: Final = 3
"""Restarts of a camera that are worth a warning. Fewer may come from a cable that was pulled out."""


def cameras(config: TableConfig) -> Iterator[Finding]:
    """Open and check each camera of the configuration."""
    for camera in config.cameras:
        try:
            pipeline = open_camera(camera, config.header, config.marks)
        except CardtableError as error:
            yield trouble(_name(camera), str(error), text("see docs/reference/configuration.md"))
            continue
        if (gap := unlearned(camera.deck, config.header.game)) is not None:
            yield warning(_name(camera), gap, text("see docs/how-to/decks.md"))
        with closing(pipeline):
            yield from check_camera(pipeline, mat_for(config.header), _name(camera))


def _name(camera: CameraConfig) -> str:
    return f"camera {camera.name}" if camera.name != "camera" else "camera"


def check_camera(
    pipeline: CameraPipeline, mat: Mat, name: str, frames: int = FRAMES, look_s: float = LOOK_S
) -> Iterator[Finding]:
    """Read frames from a camera, and check the last one.

    At least `frames` frames are read. From a live camera their timestamps also span at least `look_s` seconds; this is
    not needed for a recording, whose light is not judged.
    """
    lost: str | None = None
    began: float | None = None
    for count in itertools.count(1):
        for seen in pipeline.step():
            lost = seen.reason if isinstance(seen, Lost) else None
        if pipeline.ended or pipeline.retry_in > 0:
            break
        time = pipeline.frame.time if pipeline.frame else 0.0
        began = time if began is None else began
        if count >= frames and (not pipeline.source.live or time - began >= look_s):
            break
    yield from check_last_frame(pipeline, mat, name, lost)


def check_last_frame(pipeline: CameraPipeline, mat: Mat, name: str, lost: str | None = None) -> Iterator[Finding]:
    """Check the camera's last frame and the cards in it. `lost` is the trouble that the camera has reported, if any."""
    yield from check_view(pipeline, mat, name, lost)
    if pipeline.frame is None or pipeline.homography is None:
        return
    if trouble_with_light := pipeline.light_trouble:
        yield warning(name, trouble_with_light, text("see docs/start/build-a-table.md"))
    read = [_face_text(track.face) for track in pipeline.tracker.tracks if track.face is not None]
    if read:
        yield good(name, text("it reads {cards}", cards=commas(read)))
        if drawback := pipeline.deck_drawback:
            yield warning(name, drawback, text("see docs/how-to/decks.md"))
        yield from _on_cards(pipeline.frame.image, pipeline.homography, pipeline.tracker.tracks, name)
    else:
        yield warning(name, text("it reads no card"), text("lay a card face up in a zone, and try again"))


def check_view(pipeline: CameraPipeline, mat: Mat, name: str, lost: str | None = None) -> Iterator[Finding]:
    """Check the camera's last frame without its cards. Another thread may be stepping the pipeline meanwhile."""
    frame, homography = pipeline.frame, pipeline.homography
    for finding in _picture(pipeline, frame.image if frame else None, name, lost):
        yield replace(finding, what="picture")
    if frame is None:
        return
    for finding in _mat(pipeline, homography, name, lost):
        yield replace(finding, what="mat")
    if homography is not None:
        missing = pipeline.missing_marks
        in_sight = [corners for id_, corners in mat.marks.items() if id_ not in missing]
        found = _measured(frame.image, homography, in_sight, name)
        yield from (replace(finding, what=what) for finding, what in zip(found, ("light", "focus"), strict=False))


def _picture(pipeline: CameraPipeline, image: Image | None, name: str, lost: str | None) -> Iterator[Finding]:
    """Check the size of the picture, and what the camera reports about itself."""
    if image is None:
        advice = text("make sure that it is plugged in and that no other program uses it")
        yield trouble(name, lost or text("it gives no picture"), advice)
        return
    height, width = image.shape[:2]
    message = text("its pictures are {width} × {height}", width=width, height=height)
    if width < _RECOMMENDED_WIDTH_PX:
        advice = text("with {width} × 720 or more, cards are read more reliably", width=_RECOMMENDED_WIDTH_PX)
        yield warning(name, message, advice)
    else:
        yield good(name, message)
    if (restarts := getattr(pipeline.source, "restarts", 0)) >= _MANY_RESTARTS:
        single = "it has stopped {count} time since it was opened, and was started again"
        many = "it has stopped {count} times since it was opened, and was started again"
        advice = text(
            "heat and a loose cable are the usual causes: let air reach it, and press both ends of its cable in"
        )
        yield warning(name, plural(single, many, restarts), advice)
    for remark in getattr(pipeline.source, "remarks", ()):
        advice = text("a lens moves when the camera gets warm: let air reach it, and check that the cards are sharp")
        yield warning(name, remark, advice)
    for note in getattr(pipeline.source, "notes", ()):
        yield warning(name, text("it did not accept a setting: {note}", note=note), text("change it in table.toml"))


def _mat(pipeline: CameraPipeline, homography: Homography | None, name: str, lost: str | None) -> Iterator[Finding]:
    """Check whether the four corner marks are seen, and large enough."""
    if homography is None or pipeline.missing_marks:
        missing = ", ".join(str(id_) for id_ in pipeline.missing_marks)
        message = text("corner marks are missing: {marks}", marks=missing)
        yield trouble(name, lost or message, text("lay the mat so that it sees all four"))
    else:
        yield good(name, text("it sees the four corner marks"))
    if homography is not None:
        yield _scale(pipeline, 1 / homography.mm_per_px, name)


def _scale(pipeline: CameraPipeline, px_per_mm: float, name: str) -> Finding:
    scale = decimals(px_per_mm, 2)
    if px_per_mm < pipeline.min_px_per_mm:
        advice = "{least} are needed: bring it nearer, or set it to larger pictures"
        template = "the cards are too small in its pictures: a millimetre on the mat is {scale} pixels"
        return trouble(name, text(template, scale=scale), text(advice, least=decimals(pipeline.min_px_per_mm, 2)))
    return good(name, text("a millimetre on the mat is {scale} pixels", scale=scale))


def _measured(image: Image, homography: Homography, places: Sequence[object], name: str) -> Iterator[Finding]:
    """Check brightness and sharpness on the marks at `places` (corners in millimetres on the mat)."""
    seen = (_seen(image, homography, corners) for corners in places)
    marks = [mark for mark in seen if mark is not None]
    if not marks:
        return
    white = float(np.median([np.percentile(mark, 95) for mark in marks]))
    black = float(np.median([np.percentile(mark, 5) for mark in marks]))
    bright = np.concatenate([mark[mark > (white + black) / 2] for mark in marks])
    burnt = float(np.mean(bright >= _OVEREXPOSED)) if bright.size else 0.0
    levels = {"white": f"{white:.0f}", "black": f"{black:.0f}"}
    if white < DARK:
        message = text("it is too dark: white is {white}, black {black} of 255", **levels)
        yield trouble(name, message, text("light the mat evenly, from above and from the side"))
    elif white < PALE * max(black, 1.0):
        message = text("there is no contrast: white is {white}, black {black} of 255", **levels)
        yield trouble(name, message, text("remove what shines into the camera or on the mat"))
    elif burnt > GLARE:
        message = text("{part} % of the marks’ white is overexposed", part=f"{100 * burnt:.0f}")
        yield warning(name, message, text("dim the light, or turn the lamp so that nothing shines into the camera"))
    else:
        yield good(name, text("it is bright enough: white is {white}, black {black} of 255", **levels))
    soft = float(np.median([spread_mm(mark) for mark in marks]))
    advice = text("turn its lens, or set its focus, until the marks are sharp; or hang it lower")
    spread = decimals(soft, 2)
    if soft > BLURRED_MM:
        yield trouble(name, text("it is out of focus: edges are blurred by {spread} mm", spread=spread), advice)
    elif soft > SOFT_MM:
        yield warning(name, text("it is not quite sharp: edges are blurred by {spread} mm", spread=spread), advice)
    else:
        yield good(name, text("it is sharp: edges are blurred by {spread} mm", spread=spread))


def _on_cards(image: Image, homography: Homography, tracks: Iterable[Track], name: str) -> Iterator[Finding]:
    """Check brightness and sharpness on the darkest, the brightest and the softest card."""
    seen = [(track.face, _seen(image, homography, track.outline)) for track in tracks if isinstance(track.face, Card)]
    cards = [(face.glyph, card) for face, card in seen if card is not None]
    if not cards:
        return
    white, darkest = min((float(np.percentile(card, 95)), face) for face, card in cards)
    burnt, brightest = max((float(np.mean(card >= _OVEREXPOSED)), face) for face, card in cards)
    soft, softest = max((spread_mm(card, _PRINTED), face) for face, card in cards)
    advice = text("turn its lens, or set its focus, until the card is sharp; or hang it lower")
    values = {"white": f"{white:.0f}", "spread": decimals(soft, 2), "part": f"{100 * burnt:.0f}"}
    if white < DARK:
        message = text("{card} lies in the dark: its white is {white} of 255", card=darkest, **values)
        yield trouble(name, message, text("light the mat evenly, from above and from the side"))
    if burnt > GLARE:
        message = text("{part} % of {card} is overexposed", card=brightest, **values)
        yield warning(name, message, text("dim the light, or turn the lamp so that it does not shine into the camera"))
    if soft > BLURRED_MM:
        message = text("{card} is out of focus: its edges are blurred by {spread} mm", card=softest, **values)
        yield trouble(name, message, advice)
    elif soft > SOFT_MM:
        message = text("{card} is not quite sharp: its edges are blurred by {spread} mm", card=softest, **values)
        yield warning(name, message, advice)
    elif white >= DARK and burnt <= GLARE:
        message = text(
            "{card} is bright and sharp: its white is {white} of 255, its edges are blurred by {spread} mm",
            card=softest,
            **values,
        )
        yield good(name, message)


def _seen(image: Image, homography: Homography, corners: object) -> Grey | None:
    """Return a mark or card as seen from above; None if part of it is outside the picture."""
    picture = rectified(image, homography, corners)
    return None if picture is None else grey(picture)


def _face_text(face: Card | ActionCard) -> str:
    return face.glyph if isinstance(face, Card) else word_text(face.text)


_QUERYCAP: Final = 0x80685600
"""VIDIOC_QUERYCAP, which fills a `struct v4l2_capability` (linux/videodev2.h)."""
_CAPABILITY: Final = struct.Struct("16s32s32s3I12x")
"""`struct v4l2_capability`: driver, card, bus_info, version, capabilities, device_caps, reserved."""
_CAPTURES: Final = 0x1
"""V4L2_CAP_VIDEO_CAPTURE."""
_PICAMERA: Final = "from picamera2 import Picamera2; print([each['Model'] for each in Picamera2.global_camera_info()])"


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera: `source` is its name in `table.toml`, `label` its name for people."""

    source: str
    label: str


class Capability(NamedTuple):
    """What V4L2 reports about a video device. `captures`: whether it delivers pictures."""

    card: str
    bus: str
    captures: bool


def capability_of(device: Path) -> Capability | None:
    """Return the capability of a video device; None if it cannot be queried."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        filled = fcntl.ioctl(descriptor, _QUERYCAP, bytes(_CAPABILITY.size))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    _, card, bus, _, _, captures = _CAPABILITY.unpack(filled)
    return Capability(_c_string(card), _c_string(bus), bool(captures & _CAPTURES))


def _c_string(padded: bytes) -> str:
    return padded.split(b"\0")[0].decode("utf-8", "replace")


def find_cameras(machine: Machine, ask: Callable[[Path], Capability | None] = capability_of) -> list[FoundCamera]:
    """Return the cameras of this machine, USB cameras first.

    A USB camera gets its persistent name, if udev has made one. Other video devices, such as the processor's decoders,
    are left out.
    """
    found: list[FoundCamera] = []
    links = {link.resolve(): link for link in sorted((machine.dev / "v4l" / "by-id").glob("*"))}
    for device in sorted(machine.dev.glob("video*"), key=lambda path: (len(path.name), path.name)):
        about = ask(device)
        if about is not None and about.captures and about.bus.startswith("usb"):
            number = device.name.removeprefix("video")
            source = f"usb:{links[device.resolve()]}" if device.resolve() in links else f"usb:{number}"
            found.append(FoundCamera(source, about.card))
    models = machine.run([SYSTEM_PYTHON, "-c", _PICAMERA])
    if models is not None and models not in ("", "[]"):
        found.append(FoundCamera("picamera", text("the Raspberry Pi’s own camera")))
    return found
