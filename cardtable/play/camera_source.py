"""Eyes for a game: its mat, the readers for its marks, and the source that a text names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from cardtable.config.model import Marks
from cardtable.decks.library import own_deck
from cardtable.errors import CardtableError, UsageError, why
from engine.games import load_game
from engine.record import Header
from engine.texts import text
from vision.camera_pipeline import CameraPipeline
from vision.cameras.settings import CameraSettings
from vision.cameras.sources import BadSource, open_source
from vision.decks.deck import OwnDeck
from vision.decks.reader import DeckReader
from vision.faces import FaceReader
from vision.frames import FrameSource
from vision.marks import ArucoReader, MissingLibrary, QrReader
from vision.readings import Reader
from vision.table.homography import CalibrationError, TableFrame, load_frame
from vision.table.mat import Mat, lay_out


def mat_for(header: Header) -> Mat:
    """The mat of this game for so many players."""
    return lay_out(len(header.players), load_game(header.game).zones)


def readers_for(marks: Iterable[Marks], deck: OwnDeck | None = None) -> list[Reader]:
    """The readers for a deck with these marks, marks first: they outrank faces. `deck`: whose faces they are, learned.

    Printed faces have action cards with ArUco marks beside them. Raises `CardtableError` where a library is missing.
    """
    wanted = set(marks)
    readers: list[Reader] = []
    if wanted & {"aruco", "faces"}:
        readers.append(ArucoReader())
    if "qr" in wanted:
        try:
            readers.append(QrReader())
        except MissingLibrary as error:
            raise CardtableError(str(error)) from error
    if "faces" in wanted:
        readers.append(FaceReader() if deck is None else DeckReader(deck))
    return readers


def open_eye(
    spec: str,
    header: Header,
    marks: Iterable[Marks],
    name: str = "camera",
    calibration: Path | None = None,
    more: Mapping[str, Callable[[str], FrameSource]] | None = None,
    settings: CameraSettings | None = None,
    deck: str | None = None,
) -> CameraPipeline:
    """The camera or recording `spec` over the mat of this game. Raises `UsageError` where there is no such source.

    `calibration`: where the last view of the mat is kept. `settings`: what is asked of a live camera. One that does
    not work now is waited for. `deck`: a deck of one's own, by its name or its file, that is played with.
    """
    schemes = {"synthetic": lambda setting: _open_synthetic(setting, header), **(more or {})}
    try:
        source = open_source(spec, schemes, settings)
    except BadSource as error:
        raise UsageError(str(error)) from error
    try:
        own = own_deck(deck, header.game)
        return CameraPipeline(source, mat_for(header), readers_for(marks, own), name, _stored(calibration))
    except CardtableError:
        source.close()
        raise


def _open_synthetic(spec: str, header: Header) -> FrameSource:
    from cardtable.simulation.source import SyntheticSource, parse_setting  # a real table needs none of it

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


def _stored(calibration: Path | None) -> TableFrame | None:
    if calibration is None:
        return None
    try:
        return load_frame(calibration)
    except FileNotFoundError:
        return None
    except CalibrationError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(
            text("{calibration} cannot be read: {why}", calibration=calibration, why=why(error))
        ) from error
