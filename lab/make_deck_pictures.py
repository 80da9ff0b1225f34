"""Make the deck of the simulated table: one sheet of pictures from the npm package `@letele/playing-cards` (CC0).

    npm pack @letele/playing-cards@0.1.0 && tar xzf letele-playing-cards-0.1.0.tgz
    python -m lab.make_deck_pictures package cardtable/simulation/deck

Needs node, `rsvg-convert` (Debian's librsvg2-bin) and OpenCV. The package is a module of React components; React is
not needed, because a replacement of `createElement` writes the elements as SVG. The sheet has a row for each suit (S H
D C) and a column for each rank (A 2 … K). The back is a file of its own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

from cardtable.simulation.deck import BACK_NAME, CARD_PX, SHEET_NAME
from engine.cards import RANKS, SUITS

_SVG = r"""
const fs = require('fs');
const escape = text => String(text).replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
const kebab = new Set(['textAnchor', 'textLength', 'fontSize', 'fontFamily', 'fontWeight', 'strokeWidth',
  'strokeLinecap', 'strokeLinejoin', 'strokeMiterlimit', 'strokeDasharray', 'fillRule', 'clipRule', 'stopColor']);
const key = name => name === 'className' ? 'class' : name === 'xlinkHref' ? 'href'
  : kebab.has(name) ? name.replace(/[A-Z]/g, letter => '-' + letter.toLowerCase()) : name;
const React = { createElement(tag, props, ...children) {
  const keys = Object.entries(props || {}).filter(([, value]) => value !== undefined && value !== null);
  const inside = children.flat().filter(child => child !== null && child !== undefined).join('');
  return `<${tag}${keys.map(([name, value]) => ` ${key(name)}="${escape(value)}"`).join('')}>${inside}</${tag}>`;
} };
let source = fs.readFileSync(process.argv[1], 'utf8').replace(/^import .*$/gm, '');
const names = {};
source = source.replace(/export \{([^}]*)\};?/, (_, list) => {
  const pairs = list.split(',').map(pair => pair.trim().split(' as '));
  return 'return {' + pairs.map(([inner, outer]) => `${JSON.stringify(outer)}: ${inner}`).join(',') + '};';
});
const made = new Function('React', '_extends', source)(React, Object.assign);
const out = {};
for (const [name, component] of Object.entries(made)) out[name] = component({});
process.stdout.write(JSON.stringify(out));
"""


def main() -> int:
    """Read the unpacked package; write the sheet, the back and the licence."""
    if len(sys.argv) != 3:
        print("usage: python -m lab.make_deck_pictures PACKAGE FOLDER", file=sys.stderr)
        return 2
    package, folder = Path(sys.argv[1]), Path(sys.argv[2])
    found = subprocess.run(
        ["node", "-e", _SVG, str(package / "dist" / "index.esm.js")], check=True, capture_output=True, text=True
    )
    pictures: dict[str, str] = json.loads(found.stdout)
    width, height = CARD_PX
    sheet = np.full((len(SUITS) * height, len(RANKS) * width, 3), 255, np.uint8)
    for row, suit in enumerate(SUITS):
        for column, rank in enumerate(RANKS):
            name = suit + (rank if rank.isdigit() else rank.lower())
            sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] = _render(pictures[name])
    folder.mkdir(parents=True, exist_ok=True)
    best = [cv2.IMWRITE_PNG_COMPRESSION, 9, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_ALL_FILTERS]
    cv2.imwrite(str(folder / SHEET_NAME), _few_colours(sheet), best)
    cv2.imwrite(str(folder / BACK_NAME), _few_colours(_render(pictures["B1"], "#7a1022")), best)
    shutil.copy(package / "LICENSE", folder / "LICENSE")
    return 0


def _render(svg: str, ink: str | None = None) -> np.ndarray:
    """Return the card's own area, without the thin outline around the drawing."""
    if ink is not None:
        svg = svg.replace("<path ", f'<path fill="{ink}" ')
    width, height = CARD_PX
    with tempfile.TemporaryDirectory() as place:
        source, target = Path(place) / "card.svg", Path(place) / "card.png"
        source.write_text(svg, encoding="utf-8")
        scale = 4
        command = ["rsvg-convert", "-w", str(width * scale), "-h", str(height * scale), "-b", "white"]
        subprocess.run([*command, "-o", str(target), str(source)], check=True)
        picture = cv2.imread(str(target))
    assert picture is not None
    edge = 2 * scale
    picture[:edge], picture[-edge:], picture[:, :edge], picture[:, -edge:] = 255, 255, 255, 255
    for corner in (picture, picture[::-1], picture[:, ::-1], picture[::-1, ::-1]):
        corner[: 14 * scale, : 5 * scale] = 255
        corner[: 5 * scale, : 14 * scale] = 255
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)


def _few_colours(picture: np.ndarray) -> np.ndarray:
    """Return the picture with five bits per channel: invisible on a table, and a third of the file size."""
    return np.minimum(picture.astype(np.uint16) // 8 * 8 * 255 // 248, 255).astype(np.uint8)


if __name__ == "__main__":
    raise SystemExit(main())
