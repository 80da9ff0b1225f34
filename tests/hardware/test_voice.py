"""The voice with real commands: their input, their failures, and that `say` does not wait."""

from __future__ import annotations

import shutil
import sys
import wave
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hardware.voice import Voice
from hardware.wiring import NoVoice

# Records its standard input and its arguments; "hang" makes it wait for the file `go` in its folder.
SPEAKER = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
text = sys.stdin.read() + "|".join(sys.argv[2:])
with (folder / "said").open("a", encoding="utf-8") as file:
    file.write(text + "\\n")
if "fail" in text:
    sys.exit("no sound card")
deadline = time.monotonic() + 20
while "hang" in text and not (folder / "go").exists() and time.monotonic() < deadline:
    time.sleep(0.01)
"""


class Studio:
    """A folder that keeps what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "speaker.py").write_text(SPEAKER)
        self.command = (sys.executable, str(folder / "speaker.py"), str(folder))
        self.troubles: list[str | None] = []

    @contextmanager
    def voice(self, *arguments: str, language: str = "en") -> Iterator[Voice]:
        with closing(Voice((*self.command, *arguments), language)) as voice:
            voice.when_fault_changed = self.troubles.append
            yield voice

    @property
    def sentences(self) -> list[str]:
        file = self.folder / "said"
        return file.read_text("utf-8").splitlines() if file.exists() else []


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(tmp_path)


def test_sentences_are_spoken_one_after_the_other(studio: Studio) -> None:
    with studio.voice() as voice:
        voice.say(["Bo gagne la levée.", "À Élodie."])
        assert voice.wait(20)
        assert studio.sentences == ["Bo gagne la levée.", "À Élodie."]
        assert studio.troubles == []


def test_text_and_language_as_arguments(studio: Studio) -> None:
    with studio.voice("{language}", "--text={text}", language="fr") as voice:
        voice.say(["$(reboot); -v 'x'"])  # no shell interprets it
        assert voice.wait(20)
        assert studio.sentences == ["fr|--text=$(reboot); -v 'x'"]


def test_outdated_sentences_are_dropped(studio: Studio) -> None:
    with studio.voice() as voice:
        voice.say(["hang on", "and this"])
        while not studio.sentences:
            assert not voice.wait(0.01)
        for number in range(100):
            voice.say([f"number {number}"])
        (studio.folder / "go").touch()
        assert voice.wait(20)
        assert studio.sentences == ["hang on", "number 99"]


def test_closing_does_not_wait_for_the_end_of_the_sentence(studio: Studio) -> None:
    with studio.voice() as voice:
        voice.say(["hang on", "and this"])
        while not studio.sentences:
            assert not voice.wait(0.01)
    assert studio.sentences == ["hang on"]
    assert studio.troubles == []  # stopped, not failed
    voice.close()


def test_failure_and_recovery_of_the_voice_are_reported(studio: Studio) -> None:
    with studio.voice() as voice:
        for text in ("fail", "fail again", "all is well", "and on"):
            voice.say([text])
            assert voice.wait(20)
    (trouble, back) = studio.troubles
    assert trouble is not None and "no sound card" in trouble and trouble.endswith("Try it in a terminal.")
    assert back is None


def test_missing_command() -> None:
    with pytest.raises(NoVoice, match=r"there is no command 'no-such-voice': name another one under \[voice\]"):
        Voice(("no-such-voice",))
    with pytest.raises(NoVoice):
        Voice(())


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
@pytest.mark.parametrize(("language", "text"), [("en", "Bo leads."), ("fr", "Élodie : reprenez le roi de carreau.")])
def test_espeak_speaks_both_languages(tmp_path: Path, language: str, text: str) -> None:
    sound = tmp_path / "said.wav"
    troubles: list[str | None] = []
    command = ("espeak-ng", "-v", "{language}", "-s", "150", "-w", str(sound), "--stdin")
    with closing(Voice(command, language)) as voice:
        voice.when_fault_changed = troubles.append
        voice.say([text])
        assert voice.wait(20)
    assert troubles == []
    with wave.open(str(sound)) as recording:
        assert 0.5 < recording.getnframes() / recording.getframerate() < 5
