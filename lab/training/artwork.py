"""Render packaged decks to pictures of 252 x 352 pixels (4 per millimetre).

The artwork is not part of the project: the decks come from Debian packages (`gnome-cards-data`,
`kdegames-card-data-kf5`, `pokerth-data`) and npm packages (`svg-cards`, `cardsJS`, `@letele/playing-cards`,
`@heruka_urgyen/react-playing-cards`, `@younestouati/playing-cards-standard-deck`, `react-casino`), and `rsvg-convert`
(Debian: `librsvg2-bin`) draws them. A source that is not installed is skipped and reported.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from engine.cards import RANKS
from lab.training.files import imread, imwrite
from vision.frames import Image

WIDTH, HEIGHT = 252, 352
"""Size of the picture of a card, pixels."""
SCALE = 4.0
"""Its pixels per millimetre."""

AISLERIOT = Path("/usr/share/aisleriot/cards")
CARDDECKS = Path("/usr/share/carddecks")
POKERTH = Path("/usr/share/games/pokerth/gfx/cards")

AISLERIOT_DECKS = (
    "anglo", "anglo_bitmap", "anglo_modern", "anglo_modern_4_color", "anglo_poker", "gnomangelo", "gnomangelo_bitmap",
    "neoclassical", "neoclassical_4_color", "plastic", "simplistic", "tango", "dondorf", "bellot", "paris",
    "tigullio", "orell", "lattmann", "tarocco", "berlin", "rheinland", "ancient_french",
)  # fmt: skip
"""Sheets with an index of rank and suit. The last five print B D K, F D R or V D R instead of J Q K; no letter stands
for two ranks."""

KDE_DECKS = ("standard", "tigullio-international")
"""The other KDE decks contain raster parts that `rsvg-convert` renders coarsely, or have no index."""
UNSEEN_KDE = ("jolly-royal", "nicu-white", "xskat-german")
UNSEEN_HERUKA = ("2color", "2color-bf", "4color")
UNSEEN_POKERTH = ("default", "default4c")
"""Never used for training; `render --unseen` renders them, with those of two more npm packages, for evaluation."""
CARD_NAME = r"[A2-9TJQK][CDHS]"
"""Pattern of the name of a file with a card: T is a 10."""

LETELE_SCRIPT = """
import {readFileSync, writeFileSync} from 'fs';
const [, , module_path, out] = process.argv;
const names = {className: 'class', xlinkHref: 'xlink:href', clipPath: 'clip-path', strokeWidth: 'stroke-width',
  strokeLinecap: 'stroke-linecap', strokeLinejoin: 'stroke-linejoin', strokeMiterlimit: 'stroke-miterlimit',
  fillRule: 'fill-rule', clipRule: 'clip-rule', xmlnsXlink: 'xmlns:xlink'};
const React = {createElement: (tag, props, ...children) => '<' + tag +
  Object.entries(props || {}).filter(([, v]) => v !== undefined && typeof v !== 'object')
    .map(([k, v]) => ` ${names[k] || k}="${v}"`).join('') +
  (tag === 'svg' ? ' xmlns:xlink="http://www.w3.org/1999/xlink"' : '') + '>' +
  children.flat(9).filter(Boolean).join('') + '</' + tag + '>'};
let text = readFileSync(module_path, 'utf8').replace(/^import .*$/gm, '');
const list = text.match(/export \\{([^}]*)\\}/)[1].split(',').map(s => s.trim().split(' as '));
text = text.replace(/export \\{[^}]*\\};?/, '') + ';return {' + list.map(([f, n]) => `${n}: ${f}`).join(',') + '}';
const cards = new Function('React', '_extends', text)(React, Object.assign);
for (const [name, card] of Object.entries(cards))
  writeFileSync(`${out}/${name}.svg`, card({}).replace(/ xmlns:xlink="[^"]*"(?=[^>]* xmlns:xlink=)/, ''));
"""


def _rsvg(svg: Path, out: Path, *options: str) -> None:
    subprocess.run(["rsvg-convert", str(svg), "-o", str(out), *options], check=True, capture_output=True, timeout=120)


def flatten(picture: Image, paper: int = 255) -> Image:
    """Return a picture of a card as (352, 252, 3) BGR; transparent parts become paper."""
    if picture.ndim == 2:
        picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)
    if picture.shape[2] == 4:
        alpha = picture[..., 3:].astype(np.float32) / 255
        picture = (picture[..., :3] * alpha + paper * (1 - alpha)).round().astype(np.uint8)
    return np.asarray(cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


def _trimmed(picture: Image) -> Image:
    """Return the picture without its transparent border."""
    if picture.ndim < 3 or picture.shape[2] < 4:
        return picture
    rows, columns = np.where(picture[..., 3] > 127)
    return picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


Cards = Iterator[tuple[str, Image]]
"""A deck's cards: name and picture."""


def _aisleriot(name: str, work: Path) -> Cards:
    _rsvg(AISLERIOT / f"{name}.svgz", work / "sheet.png", "-w", str(13 * WIDTH), "-h", str(5 * HEIGHT))
    picture = imread(work / "sheet.png")
    rows = picture.shape[0] / 5
    columns = picture.shape[1] / 13
    for row in range(5):
        for column in range(13 if row < 4 else 3):
            cell = picture[
                round(row * rows) : round((row + 1) * rows), round(column * columns) : round((column + 1) * columns)
            ]
            yield RANKS[column] + "CDHS"[row] if row < 4 else f"other{column}", flatten(_trimmed(cell))


def _kde(name: str, work: Path, size: Sequence[str]) -> Cards:
    words = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
    suits = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
    for sheet in sorted((CARDDECKS / f"svg-{name}").glob("*.svgz")):
        for suit, suit_word in suits.items():
            for rank in RANKS:
                ident = f"{words.get(rank, rank)}_{suit_word}"
                try:
                    _rsvg(sheet, work / "card.png", "--export-id", ident, *size)
                except subprocess.CalledProcessError:
                    continue
                yield rank + suit, flatten(_trimmed(imread(work / "card.png")))


def _svg_cards(folder: Path) -> Cards:
    words = {"1": "A", "jack": "J", "queen": "Q", "king": "K"}
    for path in sorted(folder.glob("*_*.png")):
        suit, rank = path.stem.split("_", 1)
        rank = words.get(rank, rank)
        if suit in ("club", "diamond", "heart", "spade") and rank in RANKS:
            yield rank + suit[0].upper(), flatten(imread(path))


def _cards_js(folder: Path, work: Path) -> Cards:
    for path in sorted(folder.glob("*.svg")):
        if re.fullmatch(r"(10|[A2-9JQK])[CDHS]", path.stem):
            _rsvg(path, work / "card.png", "-w", str(WIDTH), "-h", str(HEIGHT))
            yield path.stem, flatten(imread(work / "card.png"))


def _named_cards(folder: Path, kind: str, work: Path) -> Cards:
    for path in sorted(folder.glob(f"*.{kind}")):
        if re.fullmatch(CARD_NAME, path.stem):
            if kind == "svg":
                _rsvg(path, work / "card.png", "-w", str(WIDTH), "-h", str(HEIGHT))
            yield path.stem.replace("T", "10"), flatten(imread(work / "card.png" if kind == "svg" else path))


def _younestouati(folder: Path, work: Path) -> Cards:
    words = {"1": "A", "11": "J", "12": "Q", "13": "K"}
    for path in sorted(folder.glob("*.svg")):
        if found := re.fullmatch(r"(\d+)([cdhs])", path.stem):
            _rsvg(path, work / "card.png", "-w", str(WIDTH), "-h", str(HEIGHT))
            yield words.get(found[1], found[1]) + found[2].upper(), flatten(imread(work / "card.png"))


def _pokerth(folder: Path) -> Cards:
    names = [rank + suit for suit in "DHSC" for rank in (*RANKS[1:], "A")]
    for number, name in enumerate(names):
        yield name, flatten(imread(folder / f"{number}.png"))


def _letele(module: Path, work: Path) -> Cards:
    (work / "letele").mkdir(exist_ok=True)
    (work / "letele.mjs").write_text(LETELE_SCRIPT)
    subprocess.run(["node", str(work / "letele.mjs"), str(module), str(work / "letele")], check=True)
    for path in sorted((work / "letele").glob("*.svg")):
        _rsvg(path, work / "card.png", "-w", str(WIDTH), "-h", str(HEIGHT))
        rank = path.stem[1:].upper()
        card = rank + path.stem[0] if rank in RANKS and path.stem[0] in "CDHS" else f"other-{path.stem}"
        yield card, flatten(imread(work / "card.png"))


def _sources(modules: Path, work: Path, unseen: bool) -> Iterator[tuple[str, Path, Callable[[], Cards]]]:
    """Yield each deck's name, the file or folder with its artwork, and a function that renders it."""
    full = ("-w", str(WIDTH), "-h", str(HEIGHT))
    if unseen:
        for name in UNSEEN_KDE:  # cards positioned on a sheet: rendered large, then trimmed
            yield f"kde-{name}", CARDDECKS / f"svg-{name}", partial(_kde, name, work, ("-z", "5"))
        for name in UNSEEN_HERUKA:
            folder = modules / "@heruka_urgyen" / "react-playing-cards" / "src" / "images" / name
            yield f"heruka-{name}", folder, partial(_named_cards, folder, "svg", work)
        for name in UNSEEN_POKERTH:
            yield f"pokerth-{name}", POKERTH / name, partial(_pokerth, POKERTH / name)
        folder = modules / "@younestouati" / "playing-cards-standard-deck" / "cards"
        yield "younestouati", folder, partial(_younestouati, folder, work)
        folder = modules / "react-casino" / "dist" / "assets" / "png" / "cards"
        yield "react-casino", folder, partial(_named_cards, folder, "png", work)
        return
    for name in AISLERIOT_DECKS:
        yield f"aisleriot-{name}", AISLERIOT / f"{name}.svgz", partial(_aisleriot, name, work)
    for name in KDE_DECKS:
        yield f"kde-{name}", CARDDECKS / f"svg-{name}", partial(_kde, name, work, full)
    folder = modules / "svg-cards" / "png" / "2x"
    yield "svg-cards", folder, partial(_svg_cards, folder)
    folder = modules / "cardsJS" / "cards"
    yield "cardsJS", folder, partial(_cards_js, folder, work)
    module = modules / "@letele" / "playing-cards" / "dist" / "index.esm.js"
    yield "letele", module, partial(_letele, module, work)


def render(out: Path, modules: Path, unseen: bool = False) -> dict[str, int]:
    """Render every installed deck to `out/<deck>/<card>.png`; return the number of cards of each deck.

    `modules`: the `node_modules` folder with the npm decks. `unseen`: only the decks that are never used for training.
    Decks listed in `out/decks.json` are complete and are not rendered again, so that an interrupted run can be
    repeated. Raises `SystemExit` if `rsvg-convert` is missing.
    """
    if shutil.which("rsvg-convert") is None:
        raise SystemExit("rsvg-convert is missing: install Debian's librsvg2-bin")
    listed = out / "decks.json"
    counts: dict[str, int] = json.loads(listed.read_text("utf-8")) if listed.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for deck, source, cards in _sources(modules, Path(folder), unseen):
            if deck in counts:
                continue
            if not source.exists():
                print(f"{deck}: left out, {source} is not installed")
                continue
            (out / deck).mkdir(parents=True, exist_ok=True)
            count = 0
            for card, picture in cards():
                imwrite(out / deck / f"{card}.png", picture)
                count += 1
            if not count:
                print(f"{deck}: left out, {source} holds no card")
                continue
            counts[deck] = count
            listed.write_text(json.dumps(counts, indent=1))
    return counts
