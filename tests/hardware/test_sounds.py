"""The buzzer: which sounds it plays, and their rhythm."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from engine.views import Event, Prompt
from hardware.signals import RHYTHMS, SOUNDS, Beeper, Sound, sound_of

TURN = Prompt("turn", 0, "Ann leads.")
BACK = Prompt("take-back", 1, "Bo: take back K♠.", True)
NO = Prompt("refused", 1, "Bo may not say that.", True)


def test_only_new_prompts_sound() -> None:
    assert sound_of([TURN], [BACK, TURN], ()) == "take-back"
    assert sound_of([BACK, TURN], [BACK, TURN], ()) is None
    assert sound_of([BACK, TURN], [TURN], ()) is None
    calm = replace(BACK, urgent=False)
    assert sound_of([TURN], [calm, TURN], ()) is None
    assert sound_of([calm, TURN], [BACK, TURN], ()) == "take-back"
    assert sound_of([TURN], [NO, TURN], ()) == "refused"
    assert sound_of([TURN], [NO, BACK, TURN], ()) == "take-back"
    assert sound_of([TURN], [TURN], (Event("trick", 1),)) is None
    assert sound_of([TURN], [TURN], (Event("hand-over", ends="hand"), Event("game-over", ends="game"))) == "game-over"


class Tone:
    """Records when it was switched."""

    def __init__(self) -> None:
        self.now = 0.0
        self.changes: list[tuple[float, bool]] = []

    def switch(self, on: bool) -> None:
        self.changes.append((round(self.now, 3), on))


@pytest.mark.parametrize("sound", SOUNDS)
def test_sound_ends(sound: Sound) -> None:
    tone = Tone()
    beeper = Beeper(tone.switch)
    beeper.play(sound, 0.0)
    for step in range(1, 2000):
        tone.now = step / 1000
        beeper.tick(tone.now)
    assert not beeper.busy
    assert [on for _, on in tone.changes] == [True, False] * ((len(RHYTHMS[sound]) + 1) // 2)
    times = [time for time, _ in tone.changes]
    lengths = [round(later - earlier, 2) for earlier, later in pairwise(times)]
    assert lengths == pytest.approx(RHYTHMS[sound], abs=0.011)


def test_new_sound_replaces_the_old_one() -> None:
    tone = Tone()
    beeper = Beeper(tone.switch)
    beeper.play("game-over", 0.0)
    tone.now = 0.3
    beeper.play("pressed", 0.3)
    tone.now = 0.4
    beeper.tick(0.4)
    assert tone.changes == [(0.0, True), (0.3, False), (0.3, True), (0.4, False)]


def test_disabled_sounds_are_silent() -> None:
    tone = Tone()
    Beeper(tone.switch, ("refused",)).play("take-back", 0.0)
    assert tone.changes == []
