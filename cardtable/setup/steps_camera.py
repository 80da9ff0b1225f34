"""The steps of the first start in front of the camera: the camera and the light, the mat, the first card.

`CameraStep` writes `source` and `flicker`, and `MatStep` stores the camera's view of the mat.
`camera_reports` and `reader_reports` turn the live checks of cameras and readers into findings of a question, and
`sheet_pdf` makes the sheets that `MatStep` offers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import ClassVar, Final

import numpy as np

from cardtable.config.load import calibration_file
from cardtable.doctor.cameras import DARK, FoundCamera, find_cameras
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError, why
from cardtable.paper.pdf import corner_page, mat_tiles, pdf_bytes
from cardtable.setup.calibration import CORNERS, StillView
from cardtable.setup.step import Choice, Question, Sheet, Site, Step, Unfit, camera_key, doubtful, fine, wrong
from cardtable.web.screens import Check
from engine.errors import HeaderError
from engine.games import game_names, load_game
from engine.texts import Translate, commas, plural, text
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.light.measures import grey
from vision.mat.homography import Homography, save_homography
from vision.mat.layout import lay_out

_KINDS = {"warning": doubtful, "bad": wrong}


def _report(check: Check) -> Finding:
    kind = _KINDS.get(check["state"])
    return fine(check["text"]) if kind is None else kind(check["text"], check["advice"])


def camera_reports(site: Site, aspects: Collection[str]) -> list[Finding]:
    """Return the findings about these aspects of the cameras: `picture`, `mat`, `light`, `focus`, `cards`."""
    cameras = (source for source in site.sources() if source["kind"] == "camera")
    return [_report(check) for camera in cameras for check in camera["checks"] if check["what"] in aspects]


def reader_reports(site: Site) -> list[Finding]:
    """Return the findings about the reader boards."""
    boards = (source for source in site.sources() if source["kind"] == "readers")
    return [_report(check) for board in boards for check in board["checks"]]


def _sees(site: Site) -> bool:
    """Return whether a camera gives pictures."""
    return any(camera.frame is not None for camera in site.cameras())


CORNERS_FILE: Final = "corners.pdf"
_MAT_FILE: Final = re.compile(r"mat-([a-z0-9-]+)-([0-9])\.pdf")


def sheet_pdf(name: str, translate: Translate) -> bytes | None:
    """Return the PDF file with this name, in the language of `translate`; None if there is no such sheet.

    `corners.pdf` has the four corner marks, `mat-GAME-PLAYERS.pdf` a mat on A4 pages.
    """
    if name == CORNERS_FILE:
        return pdf_bytes([corner_page(translate)], translate("Corner marks"))
    match = _MAT_FILE.fullmatch(name)
    if match is None:
        return None
    try:
        game = load_game(match[1])
    except HeaderError:
        return None
    players = int(match[2])
    if players not in game.seats:
        return None
    title = translate("Mat for {game}, {players} players").format(game=game.title, players=players)
    return pdf_bytes(mat_tiles(lay_out(players, game.zones), title, translate=translate), title)


_STILL_LOOKS: Final = 3
_TOLERANCE_MM: Final = 1.5
"""As for `StillView`; larger than in `cardtable calibrate`, because pictures are looked at less often here."""


_AGAIN: Final = "again"


class CameraStep(Step):
    """Ask which camera looks at the table, show its picture, and judge the light in it."""

    name: ClassVar[str] = "camera"

    def __init__(self) -> None:
        super().__init__()
        self._found: Sequence[FoundCamera] = ()

    def begin(self, site: Site) -> None:
        """Look for cameras. This takes a second."""
        self._found = find_cameras(site.machine)

    def question(self, site: Site) -> Question:
        """Offer the cameras, and show what the present one sees."""
        used = [camera.source for camera in site.config.cameras]
        opened = next(iter(site.cameras()), None)
        frame = opened.frame if opened else None
        choices = [Choice(found.source, found.label, chosen=found.source in used) for found in self._found]
        known = {found.source for found in self._found}
        choices += [Choice(source, source, chosen=True) for source in used if source not in known and opened]
        choices.append(Choice(_AGAIN, text("Search again")))
        if opened is None or frame is None:
            sees = camera_reports(site, ("picture",))
            if not self._found:
                sees.append(doubtful(text("no camera was found"), text("plug one in, then search again")))
            asked = text("Which camera looks at the table? Without one, choose the cards on the board.")
            return Question(text("The camera"), asked, sees, choices, forward=text("Continue without a camera"))
        sees = [*camera_reports(site, ("picture",)), judged(frame.image)]
        if opened.flickers:
            sees.append(doubtful(text("the light flickers"), text("choose the frequency of your mains")))
        flicker = site.config.cameras[0].flicker if site.config.cameras else "auto"
        if opened.flickers or flicker != "auto":
            choices += [
                Choice("50", "50 Hz", text("Europe, Asia, Africa, Australia"), flicker == 50),
                Choice("60", "60 Hz", text("North America, western Japan"), flicker == 60),
            ]
        asked = text("Which camera looks at the table? Light the table evenly.")
        return Question(text("The camera"), asked, sees, choices, picture="camera", forward=text("Continue"))

    def answer(self, site: Site, value: str) -> bool:
        """Use the chosen camera or frequency. The step is not done yet, because the user should see the picture."""
        if value == _AGAIN:
            self.begin(site)
        elif value in _MAINS:
            site.change({camera_key(site.path, "flicker"): _MAINS[value]}, reopen=True)
        elif value in {found.source for found in self._found}:  # otherwise it is the present one
            if len(site.config.cameras) > 1:
                raise Unfit(text("table.toml names several cameras: change them there."))
            site.change({camera_key(site.path, "source"): value}, reopen=True)
        return False


class CardStep(Step):
    """Ask for one card on the mat, and show live how it is read."""

    name: ClassVar[str] = "card"

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether a camera or a reader may see the card."""
        return CameraStep.name not in left or _sees(site) or bool(site.config.reader)

    def question(self, site: Site) -> Question:
        """Show the cards that are read."""
        seen = [card for card in site.cards() if card["card"] is not None]
        unread = [card for card in site.cards() if card["card"] is None]
        found = [doubtful(text("no card is seen"), text("lay one face up in the middle of the mat"))]
        if unread:
            found = [doubtful(text("a card lies there that cannot be read"), text("turn it face up, in good light"))]
        if seen:
            found = [fine(text("this is {cards}", cards=commas([card["label"] for card in seen])))]
        return Question(
            text("The first card"),
            text("Lay one card on the mat, face up, and take your hand away. Is its name right?"),
            found,
            picture="mat" if site.cameras() else None,
            forward=text("That is right") if seen else None,
        )


_BRIGHT_PERCENTILE: Final = 95
"""The percentile of the grey levels that stands for the brightest part of a picture."""
_MAX_OVEREXPOSED: Final = 0.08
"""Share of a picture that may be overexposed."""
_MAINS: Final = {"50": 50, "60": 60}


def judged(image: Image) -> Finding:
    """Judge whether a (H, W, 3) uint8 picture is bright enough and not overexposed."""
    levels = grey(image)
    if float(np.percentile(levels, _BRIGHT_PERCENTILE)) < DARK:
        return wrong(text("it is too dark"), text("switch on a lamp above the table"))
    if float(np.mean(levels >= 254)) > _MAX_OVEREXPOSED:
        return doubtful(text("part of the picture is overexposed"), text("turn the lamp, or move what shines"))
    return fine(text("it is bright enough"))


_WHOLE: Final = "whole"


class MatStep(Step):
    """Follow each camera until its view of the mat is still, and store it; offer the marks and the mats to print."""

    name: ClassVar[str] = "mat"

    def __init__(self) -> None:
        super().__init__()
        self._views: dict[str, StillView] = {}
        self._stored: set[str] = set()

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether there is a camera, or may be one yet."""
        return CameraStep.name not in left or _sees(site)

    def begin(self, site: Site) -> None:
        """Forget all views."""
        self._views, self._stored = {}, set()

    def look(self, site: Site) -> None:
        """Check each camera's new picture, and store a view that is still. Raises `CardtableError`."""
        for camera in site.cameras():
            still = self._views.setdefault(camera.name, StillView(_STILL_LOOKS, _TOLERANCE_MM))
            still.update(camera)
            if still.view is not None and camera.name not in self._stored:
                self._store(site, camera, still.view)

    def question(self, site: Site) -> Question:
        """Say what to do until all four marks are seen; or ask for the game and the number of players of a mat."""
        match self.answers:
            case [_, game, players]:
                return self._view(site, Sheet(f"mat-{game}-{players}.pdf", text("The mat on A4 pages")))
            case [_, game]:
                counts = [
                    Choice(str(count), plural("{count} player", "{count} players", count))
                    for count in load_game(game).seats
                ]
                return Question(text("The mat"), text("For how many?"), choices=counts)
            case [_]:
                asked = text("For which game? The zones for its cards are printed on the mat.")
                games = [Choice(name, load_game(name).title) for name in game_names()]
                return Question(text("The mat"), asked, choices=games)
        whole = Choice(_WHOLE, text("A whole mat"), text("with the zones for the cards of one game"))
        return self._view(site, Sheet(CORNERS_FILE, text("The four marks, one A4 page")), whole)

    def answer(self, site: Site, value: str) -> bool:
        """Accept that a whole mat is wanted, its game, or the number of players."""
        self.answers.append(value)
        return False

    def _view(self, site: Site, sheet: Sheet, *choices: Choice) -> Question:
        """Return the question with the camera's view, and a sheet to print until the marks are seen."""
        cameras = site.cameras()
        if not cameras:
            found = [doubtful(text("no camera is open"), text("go back to the camera, or skip this"))]
            return Question(text("The mat"), text("Four corner marks show the camera where the cards lie."), found)
        found = [finding for camera in cameras for finding in self._of(camera)]
        if all(camera.name in self._stored for camera in cameras):
            found += camera_reports(site, ("light", "focus"))
            asked = text("It sees the whole mat. Screw the camera tight: a knock must not move it.")
            return Question(text("All four corners."), asked, found, picture="mat", forward=text("Continue"))
        asked = text(
            "Lay the mat or the four corner marks on the table, and move the camera until it sees all four. Print them "
            "from a phone or computer, at their true size (100 %)."
        )
        return Question(text("The mat"), asked, found, choices, picture="mat", sheets=[sheet])

    def _of(self, camera: CameraPipeline) -> list[Finding]:
        if camera.name in self._stored:
            return [fine(text("it sees the four corner marks"))]
        if camera.homography is None or len(camera.missing_marks) == len(CORNERS):
            return [
                doubtful(text("no corner mark is in sight"), text("put them where the camera sees them, in good light"))
            ]
        if camera.missing_marks:
            names = [text("mark {number} ({corner})", number=id_, corner=CORNERS[id_]) for id_ in camera.missing_marks]
            return [doubtful(text("missing: {marks}", marks=commas(names)), text("uncover it, or turn the camera"))]
        return [doubtful(text("all four corner marks are in sight"), text("let go of the camera"))]

    def _store(self, site: Site, camera: CameraPipeline, homography: Homography) -> None:
        wanted = next((each.calibration for each in site.config.cameras if each.name == camera.name), None)
        path = wanted or site.path.parent / calibration_file(camera.name)
        try:
            save_homography(path, homography)
        except OSError as error:
            message = "{path} cannot be written: {why}. Allow this user to write in its folder, then try again."
            raise CardtableError(text(message, path=path, why=why(error))) from error
        self._stored.add(camera.name)
