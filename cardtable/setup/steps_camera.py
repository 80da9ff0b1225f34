"""The steps of the first start in front of the camera: camera, light, mat, its place in the picture, the first card.

`CameraStep` writes `source`, `LightStep` writes `flicker`, and `CalibrateStep` stores the camera's view of the mat.
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


class CalibrateStep(Step):
    """Follow each camera until its view of the mat is still, then store it."""

    name: ClassVar[str] = "calibrate"

    def __init__(self) -> None:
        super().__init__()
        self._views: dict[str, StillView] = {}
        self._stored: set[str] = set()

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
        """Say what to do until all four marks are seen."""
        cameras = site.cameras()
        if not cameras:
            found = [doubtful(text("no camera is open"), text("go back to the camera, or skip this"))]
            return Question(text("Where the mat lies"), text("The camera looks for the four corner marks."), found)
        found = [finding for camera in cameras for finding in self._of(camera)]
        ready = all(camera.name in self._stored for camera in cameras)
        asked = text("Move the camera until it sees all four corner marks, then let go of it.")
        if ready:
            asked = text("The camera sees the mat, and its view is stored.")
        found += camera_reports(site, ("light", "focus")) if ready else []
        forward = text("Continue") if ready else None
        return Question(text("Where the mat lies"), asked, found, picture="mat", forward=forward)

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


_AGAIN: Final = "again"


class CameraStep(Step):
    """Ask which camera looks at the table, and show its picture."""

    name: ClassVar[str] = "camera"

    def __init__(self) -> None:
        super().__init__()
        self._found: Sequence[FoundCamera] = ()

    def begin(self, site: Site) -> None:
        """Look for cameras. This takes a second."""
        self._found = find_cameras(site.machine)

    def question(self, site: Site) -> Question:
        """Offer the cameras, and show what the present one sees."""
        cameras = site.config.cameras
        used = [camera.source for camera in cameras]
        choices = [Choice(found.source, found.label, chosen=found.source in used) for found in self._found]
        known = {found.source for found in self._found}
        choices += [Choice(source, source, chosen=True) for source in used if source not in known and site.cameras()]
        choices.append(Choice(_AGAIN, text("Search again")))
        sees: list[Finding] = camera_reports(site, ("picture",))
        works = any(camera.frame is not None for camera in site.cameras())
        if not self._found and not works:
            sees.append(doubtful(text("no camera was found"), text("plug one in, then search again")))
        asked = text("Which camera looks at the table? The whole mat must be in its picture.")
        return Question(
            text("The camera"),
            asked,
            sees,
            choices,
            picture="camera" if works else None,
            forward=text("Continue") if works else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Use the chosen camera. The step is not done yet, because the user should see its picture."""
        if value == _AGAIN:
            self.begin(site)
        elif value in {found.source for found in self._found}:  # otherwise it is the present one
            if len(site.config.cameras) > 1:
                raise Unfit(text("table.toml names several cameras: change them there."))
            site.change({camera_key(site.path, "source"): value}, reopen=True)
        return False


class CardStep(Step):
    """Ask for one card on the mat, and show live how it is read."""

    name: ClassVar[str] = "card"

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
_MAINS: Final = {"50": 50, "60": 60, "auto": "auto"}


class LightStep(Step):
    """Judge brightness, glare and flicker with the first camera, and ask for the frequency of the mains."""

    name: ClassVar[str] = "light"

    def question(self, site: Site) -> Question:
        """Show how the light is judged."""
        cameras = site.cameras()
        frame = cameras[0].frame if cameras else None
        found: list[Finding] = []
        if frame is None:
            found = [
                doubtful(text("there is no camera to judge the light"), text("go back to the camera, or skip this"))
            ]
        else:
            found = [judged(frame.image)]
            if cameras[0].flickers:
                found.append(doubtful(text("the light flickers"), text("choose the frequency of your mains")))
            elif cameras[0].flickers is False:
                found.append(fine(text("the light does not flicker")))
        flicker = site.config.cameras[0].flicker if site.config.cameras else "auto"
        choices = [
            Choice("50", "50 Hz", text("Europe, Asia, Africa, Australia"), flicker == 50),
            Choice("60", "60 Hz", text("North America, western Japan"), flicker == 60),
            Choice("auto", text("I do not know"), text("the camera decides"), flicker == "auto"),
        ]
        return Question(
            text("The light"),
            text("Light the table evenly. Which mains do your lamps have?"),
            found,
            choices if frame is not None else (),
            picture="camera" if frame is not None else None,
            forward=text("Continue") if frame is not None else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Store the frequency of the mains."""
        if site.config.cameras[0].flicker != _MAINS[value]:
            site.change({camera_key(site.path, "flicker"): _MAINS[value]}, reopen=True)
        return True


def judged(image: Image) -> Finding:
    """Judge whether a (H, W, 3) uint8 picture is bright enough and not overexposed."""
    levels = grey(image)
    if float(np.percentile(levels, _BRIGHT_PERCENTILE)) < DARK:
        return wrong(text("it is too dark"), text("switch on a lamp above the table"))
    if float(np.mean(levels >= 254)) > _MAX_OVEREXPOSED:
        return doubtful(text("part of the picture is overexposed"), text("turn the lamp, or move what shines"))
    return fine(text("it is bright enough"))


_MARKS: Final = "marks"
_MAT: Final = "mat"
_THERE: Final = "there"


class MatStep(Step):
    """Ask which mat to print: four corner marks, or a whole mat for a game and a number of players."""

    name: ClassVar[str] = "mat"

    def question(self, site: Site) -> Question:
        """Ask for the kind of mat, the game and the number of players, then offer the sheet."""
        title = text("The mat")
        match self.answers:
            case []:
                asked = text("Four corner marks show the camera where the cards lie. Which mat do you use?")
                kinds = [
                    Choice(_MARKS, text("Marks only"), text("one A4 page, for every game, on any table")),
                    Choice(_MAT, text("A whole mat"), text("with the zones for the cards of one game")),
                    Choice(_THERE, text("It lies on the table already")),
                ]
                return Question(title, asked, choices=kinds)
            case [_, game, players]:
                return self._sheet(site, Sheet(f"mat-{game}-{players}.pdf", text("The mat on A4 pages")))
            case [_, game]:
                counts = [
                    Choice(str(count), plural("{count} player", "{count} players", count))
                    for count in load_game(game).seats
                ]
                return Question(title, text("For how many?"), choices=counts)
            case ["mat"]:
                asked = text("For which game? The zones for its cards are printed on the mat.")
                return Question(title, asked, choices=[Choice(name, load_game(name).title) for name in game_names()])
        return self._sheet(site, Sheet(CORNERS_FILE, text("The four marks, one A4 page")))

    def answer(self, site: Site, value: str) -> bool:
        """Accept the kind of mat, the game, or the number of players."""
        if value == _THERE:
            return True
        self.answers.append(value)
        return False

    @staticmethod
    def _sheet(site: Site, sheet: Sheet) -> Question:
        return Question(
            text("The mat"),
            text(
                "Open it on a phone or computer, and print it at its true size (100 %). Then lay it on the table, "
                "with all four marks in the camera’s picture."
            ),
            sheets=[sheet],
            picture="camera" if site.cameras() else None,
            forward=text("It lies on the table"),
        )
