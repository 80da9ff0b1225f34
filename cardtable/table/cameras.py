"""Opens cameras for a game: its mat, the readers for its deck, and the source that a setting names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.config.decks import learned_deck, suits_of
from cardtable.config.devices import CameraConfig
from cardtable.config.model import Marks
from cardtable.errors import CardtableError, UsageError, why
from engine.games import load_game, word_marks
from engine.record import Header
from engine.texts import text
from vision import see
from vision.camera_pipeline import CameraPipeline
from vision.cameras.settings import CameraSettings
from vision.cameras.sources import BadSource, open_source
from vision.decks.deck import LearnedDeck
from vision.frames import FrameSource
from vision.marks import MissingLibrary
from vision.mat.homography import CalibrationError, Homography, load_homography
from vision.mat.layout import Mat, lay_out
from vision.readings import Reader

if TYPE_CHECKING:
    from vision.faces.reader_nets import Suits


def mat_for(header: Header) -> Mat:
    """Return the mat of this game for this number of players."""
    return lay_out(len(header.players), load_game(header.game).zones)


def card_readers(
    marks: Iterable[Marks],
    deck: LearnedDeck | None = None,
    game: str | None = None,
    card_mm: tuple[float, float] | None = None,
    suits: Suits = "french",
) -> list[Reader]:
    """Return the readers for cards with these `marks`, in order of precedence: marks outrank faces.

    `deck`: the learned deck whose faces are read; None for ordinary cards. With `faces` the action cards still have
    ArUco marks. `game`: the game that is played; its action cards are read before those of other games with the same
    mark. `card_mm`: width and height of ordinary cards; without it they are learned. `suits`: the signs that their deck
    prints. Raises `CardtableError` if a library is missing.
    """
    kinds = set(marks)
    try:
        if "faces" in kinds:
            kinds.add("aruco")
        return see.readers_for(kinds, deck, word_marks(game), card_mm, suits)
    except MissingLibrary as error:
        raise CardtableError(str(error)) from error


def open_camera(
    camera: CameraConfig,
    header: Header,
    marks: Iterable[Marks],
    more: Mapping[str, Callable[[str], FrameSource]] | None = None,
) -> CameraPipeline:
    """Open a camera or recording over the mat of this game.

    `more`: further schemes, each with the function that opens a source. A camera that does not work now is tried again
    later. Raises `UsageError` for a source, a calibration or a deck that cannot be used, `CardtableError` if a library
    is missing.
    """
    source = open_frames(camera.source, header, more, camera.settings)
    try:
        learned = learned_deck(camera.deck, header.game)
        readers = card_readers(marks, learned, header.game, camera.card_mm, suits_of(camera.deck))
        return CameraPipeline(source, mat_for(header), readers, camera.name, stored_view(camera.calibration))
    except CardtableError:
        source.close()
        raise


def open_frames(
    spec: str,
    header: Header | None,
    more: Mapping[str, Callable[[str], FrameSource]] | None = None,
    settings: CameraSettings | None = None,
) -> FrameSource:
    """Open the camera or recording `spec`. Raises `UsageError`.

    `header`: the game that a simulated table plays. `more`: as in `open_camera`. `settings`: for a live camera.
    """
    schemes = {"synthetic": lambda setting: _open_synthetic(setting, header), **(more or {})}
    try:
        return open_source(spec, schemes, settings)
    except BadSource as error:
        raise UsageError(str(error)) from error


def _open_synthetic(spec: str, header: Header | None) -> FrameSource:
    from cardtable.simulation.source import SyntheticSource, parse_setting  # slow to load, rarely needed

    assert header is not None
    if not spec.partition("?")[0]:  # the game of the table
        mark = "&" if "?" in spec else "?"
        spec = f"{header.game}{spec}{mark}players={len(header.players)}"
    setting = parse_setting(spec)
    if (setting.game, setting.players) != (header.game, len(header.players)):
        raise UsageError(
            text(
                "synthetic: {robots} robots play {theirs}, not {players} {game}; "
                "write synthetic:{game}?players={players}",
                robots=setting.players,
                theirs=setting.game,
                players=len(header.players),
                game=header.game,
            )
        )
    return SyntheticSource(setting)


def stored_view(path: Path | None) -> Homography | None:
    """Return the view of the mat that `cardtable calibrate` has stored; None without one. Raises `UsageError`."""
    if path is None:
        return None
    try:
        return load_homography(path)
    except FileNotFoundError:
        return None
    except CalibrationError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(text("{calibration} cannot be read: {why}", calibration=path, why=why(error))) from error
