"""The voice: what to say about the table (`Speech`), and speaking it with espeak-ng or another command (`Voice`)."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final, Literal
from zlib import crc32

from engine.cards import SUIT_GLYPHS
from engine.texts import Text, Translate, as_written, in_language, plural, text, why
from engine.views import MISPLACED, Event, Point, Prompt, View, side_names
from hardware.wiring import NoVoice

Amount = Literal["prompts", "everything", "full"]
"""What is said. prompts: what to do. everything: also turns, points and tricks. full: also every action."""

_SUITS: Final = {
    "♠": text("spades"),
    "♥": text("hearts"),
    "♦": text("diamonds"),
    "♣": text("clubs"),
}
_ONE_SUIT: Final = {
    "♠": text("spade"),
    "♥": text("heart"),
    "♦": text("diamond"),
    "♣": text("club"),
}
_GLYPHS: Final = "".join(SUIT_GLYPHS.values())
_CARD: Final = re.compile(rf"\b(10|[2-9AKQJ])([{_GLYPHS}])")
_CARDS: Final = re.compile(rf"(?<=[{_GLYPHS}]) (?=(?:10|[2-9AKQJ])[{_GLYPHS}])")
_BID: Final = re.compile(rf"\b(\d+)[ \u202f]([{_GLYPHS}])")
_NO_TRUMPS: Final = re.compile(r"(?<=\d)[ \u202f](NT|SA|ST)\b")
_SCORE: Final = r"[-−]?\d+"
_SCORES: Final = re.compile(rf"{_SCORE}(?:(?:–| : ){_SCORE})+")
_MINUS: Final = re.compile(r"(?<!\w)[-−](\d+)")


class Speech:
    """Decides what to say after each change of the table. Without I/O.

    `translate`: for the texts of this module; prompts are already translated.
    """

    def __init__(self, amount: Amount = "prompts", translate: Translate = as_written) -> None:
        self.amount: Final = amount
        self._translate = translate
        self._n: int | None = None
        self._spoken: set[tuple[str, int | None, str, bool]] = set()

    def news(
        self,
        n: int,
        view: View,
        prompts: Sequence[Prompt],
        points: Sequence[Point] = (),
        events: Sequence[Event] = (),
        actions: Sequence[str] = (),
    ) -> list[str]:
        """Return the new sentences, the most important first; with `full`, in the order in which things happened.

        `n`: number of accepted actions; `points`, `events`: the results of those accepted since the last call;
        `actions`: with `full`, the sentences about these actions and their results. A prompt that disappears and
        returns while `n` stays the same is not repeated: a card was only touched.
        """
        standing = {_key(prompt) for prompt in prompts}
        if n != self._n:
            self._spoken &= standing
            self._n = n
        out = []
        new = [prompt for prompt in prompts if _key(prompt) not in self._spoken and self._wanted(view, prompt)]
        if new and self.amount == "full":
            out += [spoken_prompt(view, prompt, self._translate) for prompt in new]
        elif new:
            out.append(speakable(new[0].text, self._translate))
        self._spoken |= standing
        if self.amount == "full":
            out[:0] = [sentence for sentence in actions if sentence]
        if self.amount == "everything":
            out[:0] = self._happened(view, points, events)
        return out

    def _wanted(self, view: View, prompt: Prompt) -> bool:
        """Return whether to say `prompt`.

        A card that is still moving, or an incomplete bid, is not worth a sentence. During the play everybody sees whose
        turn it is, so that is said only if the amount asks for it.
        """
        if prompt.kind in MISPLACED | {"unfinished"} and not prompt.urgent:
            return False
        return self.amount != "prompts" or prompt.kind != "turn" or view.phase != "play"

    def _happened(self, view: View, points: Sequence[Point], events: Sequence[Event]) -> list[str]:
        translate, names = self._translate, view.players
        out = []
        ended = {event.ends for event in events}
        if "game" not in ended:  # otherwise the prompt says who has won
            won = [event for event in events if event.won and event.seat is not None]
            out += [f"{in_language(event_sentence(view, event, self._n or 0), translate)}." for event in won]
        scored: dict[int, int] = {}
        for point in points:
            scored[point.seat] = scored.get(point.seat, 0) + point.points
        for seat, total in scored.items():
            if total:
                gain = plural("{name}: {count} point.", "{name}: {count} points.", total, name=names[seat])
                out.append(speakable(in_language(gain, translate), translate))
        if "hand" in ended and "game" not in ended:
            scores = zip(side_names(names, len(view.scores)), view.scores, strict=True)
            listed = ", ".join(f"{in_language(name, translate)} {score}" for name, score in scores)
            out.append(speakable(f"{listed}.", translate))
        return out


def event_sentence(view: View, event: Event, n: int) -> str:
    """Return an event as a sentence. Tricks are told in several ways; `n`, the number of actions, chooses one."""
    sentence = view.describe(event)
    if event.event != "trick" or event.seat is None:
        return sentence
    name = view.players[event.seat]
    ways = (sentence, text("The trick goes to {name}", name=name), text("{name} takes the trick", name=name))
    return ways[crc32(f"{n} {name}".encode()) % len(ways)]


def speakable(written: str, translate: Translate = as_written) -> str:
    """Return a written text in the form to be spoken: `K♦` becomes `king of diamonds`, and silent signs go.

    >>> speakable("Ann: pass 4 ♠ of Cy.")
    'Ann: pass 4 spades of Cy.'
    >>> speakable("Bo: take back 10♥, “spades” were led; 12–15.")
    'Bo: take back 10 of hearts, spades were led; 12 to 15.'
    >>> speakable("Di: 1 ♣. Ann: 2 NT ×2. Bo takes 7♣ A♦. −20 : −30.")
    'Di: 1 club. Ann: 2 no trumps doubled. Bo takes 7 of clubs, ace of diamonds. minus 20 to minus 30.'
    """

    def translated(part: Text) -> str:
        return in_language(part, translate)

    def card(match: re.Match[str]) -> str:
        return translated(_card(match[1], _SUITS[match[2]]))

    def scores(match: re.Match[str]) -> str:
        numbers = re.findall(_SCORE, match[0])
        if len(numbers) > 2:
            return ", ".join(numbers)
        return translated(text("{score} to {other}", score=numbers[0], other=numbers[1]))

    def bid(match: re.Match[str]) -> str:
        return f"{match[1]} {translated((_ONE_SUIT if match[1] == '1' else _SUITS)[match[2]])}"

    spoken = _BID.sub(bid, _CARD.sub(card, _CARDS.sub(", ", written)))
    spoken = _NO_TRUMPS.sub(lambda match: f" {translated(text('no trumps'))}", spoken)
    spoken = spoken.replace(" ×2", f" {translated(text('doubled'))}").replace(
        " ×4", f" {translated(text('redoubled'))}"
    )
    spoken = _SCORES.sub(scores, spoken)
    spoken = _MINUS.sub(lambda match: translated(text("minus {number}", number=match[1])), spoken)
    return re.sub(r"«\s?|\s?»|[„“”]", "", spoken.replace(" · ", ", "))


def _card(rank: str, suit: Text) -> Text:
    match rank:
        case "A":
            return text("ace of {suit}", suit=suit)
        case "K":
            return text("king of {suit}", suit=suit)
        case "Q":
            return text("queen of {suit}", suit=suit)
        case "J":
            return text("jack of {suit}", suit=suit)
    return text("{number} of {suit}", number=rank, suit=suit)


def spoken_prompt(view: View, prompt: Prompt, translate: Translate = as_written) -> str:
    """Return the sentence for a prompt, which is already translated; if it waits for one player, with the name."""
    spoken = prompt.text
    if prompt.kind == "turn" and prompt.seat is not None and (name := view.players[prompt.seat]) not in spoken:
        spoken = in_language(text("{name}: {what}", name=name, what=spoken), translate)
    return speakable(spoken, translate)


def _key(prompt: Prompt) -> tuple[str, int | None, str, bool]:
    return prompt.kind, prompt.seat, prompt.text, prompt.urgent


ESPEAK: Final = ("espeak-ng", "-v", "{language}", "-s", "150", "--stdin")
"""Debian's speech synthesiser: 150 words per minute, the text on standard input."""
PLACE: Final = "{text}"
_LONGEST_S: Final = 20.0
"""The longest time for one sentence, in seconds."""


class Voice:
    """Speaks sentences in its own thread, one after the other. `say` never waits.

    While a sentence is being spoken, only the latest request is kept: older ones would be out of date.

    `command`: program and arguments, in which `{language}` is replaced by the language, such as `fr`, and `{text}` by
    the text. Without `{text}`, the text is passed on standard input. Raises `NoVoice` if the command does not exist.
    """

    def __init__(self, command: Sequence[str] = ESPEAK, language: str = "en") -> None:
        if not command or shutil.which(command[0]) is None:
            name = command[0] if command else ""
            message = "the voice: there is no command {command}: name another one under [voice]"
            if name == "espeak-ng":
                message = (
                    "the voice: there is no command {command}: install it (sudo apt install espeak-ng), "
                    "or name another one under [voice]"
                )
            raise NoVoice(text(message, command=repr(name)))
        self._command = [part.replace("{language}", language) for part in command]
        self.when_fault_changed: Callable[[str | None], None] = lambda text: None
        """Called in the voice's thread: with what to do when the command fails, with None when it works again."""
        self._fault: str | None = None
        self._pool = ThreadPoolExecutor(1, "voice")
        self._lock = threading.Lock()
        self._sentences: list[Future[None]] = []
        """Those that have not been spoken when `say` was called last, and those that were passed to it."""
        self._speaking: subprocess.Popen[bytes] | None = None
        self._closed = False

    def say(self, sentences: Sequence[str], then: bool = False) -> None:
        """Speak these sentences next, and drop those that are waiting. `then`: speak them after those instead."""
        with self._lock:
            if not sentences or self._closed:
                return
            if not then:
                for waiting in self._sentences:
                    waiting.cancel()
            self._sentences = [each for each in self._sentences if not each.done()]
            self._sentences += [self._pool.submit(self._speak_and_report, sentence) for sentence in sentences]

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything has been spoken, at most `timeout` seconds. Return whether it has."""
        with self._lock:
            sentences = list(self._sentences)
        return not wait(sentences, timeout).not_done

    def close(self) -> None:
        """Stop speaking at once. May be called twice."""
        with self._lock:
            self._closed = True
            if self._speaking:
                self._speaking.kill()
        self._pool.shutdown(cancel_futures=True)

    def _speak_and_report(self, sentence: str) -> None:
        fault = self._speak(sentence)
        if fault != self._fault and not self._closed:
            self._fault = fault
            self.when_fault_changed(fault)

    def _speak(self, sentence: str) -> str | None:
        """Speak a sentence. Return None, or what went wrong, for the players."""
        command = [part.replace(PLACE, sentence) for part in self._command]
        on_stdin = None if command != self._command else sentence.encode()
        name = command[0]
        try:
            with self._lock:
                if self._closed:
                    return None
                self._speaking = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL if on_stdin is None else subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
            try:
                _, errors = self._speaking.communicate(on_stdin, _LONGEST_S)
            except subprocess.TimeoutExpired:
                self._speaking.kill()
                self._speaking.communicate()
                message = "The voice hangs: {command} took more than {seconds} seconds. Try it in a terminal."
                return text(message, command=name, seconds=f"{_LONGEST_S:.0f}")
            if b"cannot find card" in errors:  # of ALSA; espeak-ng then ends as if it had spoken
                return _does_not_work(name, text("there is no sound card"))
            if self._speaking.returncode != 0:
                fault = errors.decode("utf-8", "replace").strip().splitlines()
                return _does_not_work(name, fault[-1] if fault else text("it failed"))
        except OSError as error:
            return _does_not_work(name, why(error))
        finally:
            self._speaking = None
        return None


def _does_not_work(name: str, why: str) -> str:
    return text("The voice does not work: {command}: {why}. Try it in a terminal.", command=name, why=why)
