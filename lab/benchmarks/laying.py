"""How well laid cards are read: `python -m lab.benchmarks.laying [--cards N] [--twelve FOLDER] [--record FILE]`.

Hands, light, shadows and camera are those of the simulated table, and the complete vision pipeline reads the frames:
corner marks, motion, face reader, votes, scene. No rules of a game help: each deal lays every card of the pack once, in
tricks of four cards that overlap in the play zones, beside three cards in the show zones and a turn-up. Two hands lay
cards at the same time. The winner sweeps the trick away.

A card is *wrong* if the scene has a card that is not on the table after all hands have left and `PATIENCE` frames have
passed; *corrected* if a scene had a wrong card that a later reading corrected before that; *again* if it had to be laid
a second time because it was not reported in that time; *never* if it was not reported after `TRIES` more times either.

No network was trained on the deck: it is drawn by `tests/drawing/faces.py`, or with `--deck` read from a folder of
pictures `<card>.png`; `--german` if it has German suits. `--twelve` lays the twelve decks of
`tests/drawing/unseen_decks.py`, N cards of each; the folder is what `python -m lab.training render --unseen` wrote.
`--random` lays a number of drawn decks with random designs, which are judged together. The seed of a deal is its
number, and each deal begins with a reader that knows nothing of the deck. `--tilt` inclines the camera, as one on an
arm at a side of the table. With `--record` the result of each deal is stored; the same command continues after those
that are stored.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Final

from cardtable.simulation import stage
from cardtable.simulation.places import somewhere
from cardtable.simulation.stage import FAST, Faces, Pace, SimulatedCard, Stage
from engine.cards import RANKS, STANDARD_DECK, Card
from engine.observations import ActionCard, Scene, Zone
from lab.benchmarks.yolo_shaped import share_of_yolo
from tests.drawing import unseen_decks
from tests.drawing.faces import Style
from tests.drawing.german import german_style
from tests.drawing.stage_source import StageSource
from tests.drawing.unseen_decks import drawn, pictures
from vision.camera_pipeline import CameraPipeline
from vision.faces.net_threads import use_one_thread
from vision.faces.reader_nets import Suits
from vision.mat.layout import lay_out
from vision.readings import Reader
from vision.see import readers_for

SEATS: Final = 4
PATIENCE: Final = FAST.patience
TRIES: Final = 3
CARDS: Final = 208
MOST_AGAIN: Final = 1e-3


@dataclass
class Tally:
    """The result of some deals. `ms`: processor time of the vision pipeline. `notes`: a line for each error."""

    laid: int = 0
    wrong: int = 0
    corrected: int = 0
    again: int = 0
    frames: int = 0
    ms: float = 0.0
    notes: list[str] = field(default_factory=list)
    never: int = 0

    @property
    def ms_a_frame(self) -> float:
        """Processor time of the vision pipeline for each frame, milliseconds."""
        return self.ms / max(self.frames, 1)

    @property
    def missed(self) -> bool:
        """Whether a card was wrong or never reported, or more than 1 in 1,000 had to be laid again."""
        return self.wrong > 0 or self.never > 0 or self.again > MOST_AGAIN * self.laid

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


class Deal:
    """One deal: the stage, the vision pipeline, and the cards of the last scene. `tilt`: of the camera, degrees."""

    def __init__(self, seed: int, faces: Faces, reader: Reader, pace: Pace = FAST, tilt: float = 0.0) -> None:
        self.mat = lay_out(SEATS, ("play", "show", "turn-up"))
        self.stage = Stage(self.mat, "faces", pace, seed, faces=faces, tilt=tilt)
        self.chance = random.Random(seed)
        self.tally = Tally()
        self._source = StageSource(self.stage)
        self._eye = CameraPipeline(self._source, self.mat, [reader])
        self._reported: Counter[Card | ActionCard | None] = Counter()
        self._ever: set[Card] = set()
        self._noted: set[Card] = set()

    def run(self, count: int = 52) -> Tally:
        """Lay `count` cards, 4 more than a multiple of 4, and return the result."""
        begun = time.thread_time()
        cards = self.chance.sample(STANDARD_DECK.cards, count)
        for _ in range(4):
            self._frame()
        self._lay([(cards.pop(), Zone("turn-up"), 0)])
        for seat in range(3):
            self._lay([(cards.pop(), Zone("show", seat), seat)])
        while cards:
            first = self.chance.randrange(SEATS)
            order = [(first + k) % SEATS for k in range(SEATS)]
            for pair in (order[:2], order[2:]):
                self._lay([(cards.pop(), Zone("play", seat), seat) for seat in pair])
            trick = [laid for laid in self.stage.lying() if laid.place.zone and laid.place.zone.name == "play"]
            self.stage.start(stage.sweep(self.stage, first, trick), first)
            self._until_reported()
        self.tally.ms = 1e3 * (time.thread_time() - begun - self._source.drawing)
        return self.tally

    def _lay(self, cards: list[tuple[Card, Zone, int]]) -> None:
        """Lay the cards; lay again those that are not reported in time."""
        for card, zone, seat in cards:
            self.stage.start(stage.lay(self.stage, self._new(card, zone, seat)), seat)
        self.tally.laid += len(cards)
        for left in range(TRIES, -1, -1):
            self._until_reported()  # also after the last try: a card that is being moved must not be swept as well
            missing = [laid for laid in cards if not self._reported[laid[0]]]
            self.tally.never += 0 if left else len(missing)
            for card, zone, seat in missing if left else ():
                self.tally.again += 1
                self._note(f"{card} not reported in {zone}")
                there = next(other for other in self.stage.lying() if other.face == card)
                self.stage.start(stage.move(self.stage, there, self._new(card, zone, seat, there)), seat)
            if not missing:
                return

    def _new(self, card: Card, zone: Zone, seat: int, moved: SimulatedCard | None = None) -> SimulatedCard:
        taken = [laid.place.at for laid in self.stage.lying() if laid is not moved]
        return self.stage.card(card, seat, somewhere(self.mat, zone, seat, taken, self.chance))

    def _until_reported(self) -> None:
        """Run frames until the scene has the cards on the table, for `PATIENCE` frames without a hand at most."""
        waited = 0
        while (self.stage.busy() or self._reported != self._lying()) and waited < PATIENCE:
            self._frame()
            waited += not self.stage.busy()
        self._judge()

    def _judge(self) -> None:
        """Count, once each, reported cards that are not on the table, and earlier wrong ones that were corrected."""
        ever_laid = {laid.face for laid in self.stage.cards_laid}
        for card in sorted(
            {face for face in self._reported - self._lying() if isinstance(face, Card)} - self._noted, key=str
        ):
            self._noted.add(card)
            self.tally.wrong += 1
            self._note(f"{card} reported")
        for card in sorted(self._ever - ever_laid - self._noted, key=str):
            self._noted.add(card)
            self.tally.corrected += 1
            self._note(f"{card} reported for a while")

    def _note(self, text: str) -> None:
        lying = " ".join(str(laid.face) for laid in self.stage.lying())
        self.tally.notes.append(f"frame {self.tally.frames}: {text}; lying {lying}")

    def _frame(self) -> None:
        self.tally.frames += 1
        for seen in self._eye.step():
            if isinstance(seen, Scene):
                self._reported = Counter(sighting.face for sighting in seen.sightings)
                self._ever |= {face for face in self._reported if isinstance(face, Card)}

    def _lying(self) -> Counter[Card | ActionCard | None]:
        return Counter(laid.face for laid in self.stage.lying())


@dataclass(frozen=True)
class Dealt:
    """The name of the deck, and the seed of a deal.

    `folder`: its pictures, or those of all decks if it is an `unseen` one. `tilt`: of the camera, degrees. `suits`: the
    signs that the deck prints.
    """

    deck: str
    seed: int
    folder: Path | None = None
    letters: tuple[tuple[str, str], ...] = ()
    unseen: bool = False
    tilt: float = 0.0
    suits: Suits = "french"

    @property
    def key(self) -> tuple[str, int, float, str]:
        """What identifies the deal in a record: deck, seed, tilt and suits."""
        return self.deck, self.seed, self.tilt, self.suits

    def run(self) -> Tally:
        """Lay the 52 cards before a reader that knows nothing of the deck."""
        use_one_thread()
        if self.unseen:
            faces = unseen_decks.deck(self.deck, self.folder or Path())
        elif self.folder:
            faces = pictures(self.folder)
        elif self.suits == "german":
            faces = partial(drawn, style=german_style())
        else:
            faces = partial(drawn, style=Style(letters=dict(self.letters)))
        (reader,) = readers_for("faces", suits=self.suits)
        return Deal(self.seed, cache(faces), reader, tilt=self.tilt).run()


def results(deals: Iterable[Dealt], record: Path | None, workers: int) -> Iterator[tuple[Dealt, Tally]]:
    """Yield the result of each deal, in order. Those in the file `record` are not run again; the others are added."""
    known: dict[tuple[str, int, float, str], Tally] = {}
    for line in record.read_text("utf-8").splitlines() if record and record.exists() else ():
        kept = json.loads(line)
        key = kept.pop("deck"), kept.pop("seed"), kept.pop("tilt", 0.0), kept.pop("suits", "french")
        known[key] = Tally(**kept)
    wanted = list(deals)
    missing = [deal for deal in wanted if deal.key not in known]
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        run = iter(pool.map(Dealt.run, missing) if pool else map(Dealt.run, missing))
        for deal in wanted:
            tally = known.get(deal.key)
            if tally is None:
                tally = next(run)
                if record:
                    with record.open("a", encoding="utf-8") as out:
                        named = dict(zip(("deck", "seed", "tilt", "suits"), deal.key, strict=True))
                        out.write(json.dumps(named | asdict(tally)) + "\n")
            yield deal, tally


def _letters(letters: str) -> tuple[tuple[str, str], ...]:
    """Return what is printed instead of English letters, from `J=V,Q=D,K=R`."""
    pairs = [pair.split("=", 1) for pair in letters.split(",")]
    if any(len(pair) != 2 or pair[0] not in RANKS or not pair[1] for pair in pairs):
        raise argparse.ArgumentTypeError("it must be like J=V,Q=D,K=R")
    return tuple((rank, letter) for rank, letter in pairs)


def main(argv: list[str] | None = None) -> int:
    """Lay the cards and print the result; return 1 if a deck, or all random ones together, miss the goal."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.laying", description=__doc__.splitlines()[0])
    parser.add_argument("--cards", type=int, default=CARDS, help=f"fewest cards to lay of a deck (default {CARDS})")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--deck", type=Path, help="folder with a picture of each card (default: a drawn deck)")
    which.add_argument("--twelve", type=Path, help="lay twelve unseen decks; the folder that `render --unseen` wrote")
    which.add_argument("--random", type=int, default=0, help="lay this many decks with random designs")
    parser.add_argument("--first", type=int, default=0, help="number of the first deck of --random (default 0)")
    parser.add_argument("--letters", type=_letters, default=(), help="the drawn deck prints these, as in J=V,Q=D,K=R")
    parser.add_argument("--german", action="store_true", help="the deck has German suits; a drawn one without --deck")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first deal; the next has the next number")
    parser.add_argument("--tilt", type=float, default=0.0, help="of the camera, degrees (default 0: it looks down)")
    parser.add_argument("--record", type=Path, help="file to store the result of each deal in, and to continue from")
    parser.add_argument("--workers", type=int, default=1, help="processes, each on one thread (default 1)")
    args = parser.parse_args(argv or [])
    if args.german and (args.twelve or args.random or args.letters):
        parser.error("--german is for a deck of its own: leave --twelve, --random and --letters out")
    unseen = (*(unseen_decks.names() if args.twelve else ()), *unseen_decks.random_names(args.random, args.first))
    suits: Suits = "german" if args.german else "french"
    decks = unseen or (args.deck.name if args.deck else "drawn, German suits" if args.german else "drawn",)
    seeds = range(args.seed, args.seed - (-args.cards // 52))
    folder = args.twelve or args.deck
    deals = [
        Dealt(name, seed, folder, args.letters, bool(unseen), args.tilt, suits) for seed in seeds for name in decks
    ]
    totals = {name: Tally() for name in decks}
    for deal, tally in results(deals, args.record, args.workers):
        for note in tally.notes:
            print(f"{deal.deck}, deal {deal.seed}, {note}", flush=True)
        totals[deal.deck] += tally
    if args.random:
        totals = {"all": sum(totals.values(), Tally())}
    counts = f"{'laid':>6} {'wrong':>6} {'corrected':>10} {'again':>6} {'never':>6} {'frames':>8}"
    print(f"{'deck':34} {counts} {'ms/frame':>9} {'of YOLO':>8}")
    for name, total in totals.items():
        print(
            f"{name:34} {total.laid:6d} {total.wrong:6d} {total.corrected:10d} {total.again:6d} {total.never:6d} "
            f"{total.frames:8d} {total.ms_a_frame:9.1f} {share_of_yolo(total.ms_a_frame):>8}"
            f"{'   MISSED' if total.missed else ''}"
        )
    if not unseen:
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return int(any(total.missed for total in totals.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
