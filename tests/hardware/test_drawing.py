"""Pictures of small displays, compared pixel by pixel with reference pictures."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops

from hardware.displays import codes, draw, shorten, width_of, wrap
from hardware.screen import Player, Screen
from tests.hardware.pictures import FOLDER, SCREENS, on_a_dummy


@pytest.mark.parametrize("name", SCREENS)
def test_display_shows_the_reference_picture(name: str) -> None:
    screen, size, mode = SCREENS[name]
    picture = on_a_dummy(screen, size, mode)
    reference = Image.open(FOLDER / f"{name}.png")
    assert (picture.size, picture.mode) == (size, mode)
    difference = ImageChops.difference(picture.convert("RGB"), reference.convert("RGB"))
    assert difference.getbbox() is None, f"{name}: other than the reference in {difference.getbbox()}"


def test_every_reference_picture_is_used_and_differs_from_the_others() -> None:
    files = sorted(FOLDER.glob("*.png"))
    assert [file.stem for file in files] == sorted(SCREENS)
    assert len({Image.open(file).tobytes() for file in files}) == len(files)


def test_missing_letters_are_replaced_by_similar_ones() -> None:
    assert codes("É") == [0x90] and codes("À") == codes("A")
    assert codes("œ’…") == codes("oe'...")
    assert codes("♠♣") == [6, 5]
    assert codes("日") == codes("?")


def test_lines_do_not_break_at_no_break_spaces() -> None:
    french = "La partie est finie\u00a0: gagné"
    assert wrap(french, width_of("La partie est finie"), 3) == ["La partie est", "finie\u00a0: gagné"]


def test_wrapping_and_shortening() -> None:
    text = "Ann: take back A♠, it is Élodie’s turn."
    for width in (30, 60, 128):
        for lines in (1, 2, 5):
            wrapped = wrap(text, width, lines)
            assert 1 <= len(wrapped) <= lines
            assert all(width_of(line) <= width for line in wrapped)
            cut = any(line.endswith("...") for line in wrapped)
            assert cut or "".join(wrapped).replace(" ", "") == text.replace(" ", "")
    assert wrap("", 50, 3) == []
    assert shorten("Christophe", 40) == "Chri..."


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("size", [(64, 32), (64, 48), (84, 48), (96, 16), (128, 32), (256, 64), (800, 480)])
@pytest.mark.parametrize("mode", ["1", "RGB"])
def test_six_players_and_long_texts_fit_every_size(size: tuple[int, int], mode: str) -> None:
    players = tuple(Player("W" * 40, -123, seat == 3, seat == 0) for seat in range(6))
    screen = Screen(players, "♥  count 31" * 5, "a card " * 60, True, ("10♥",) * 15, (("•", "w" * 40),) * 3)
    picture = draw(screen, size, mode)
    assert (picture.size, picture.mode) == (size, mode)
    assert picture.convert("RGB").getbbox() is not None
