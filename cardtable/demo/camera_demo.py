"""The demo with a camera: robots play, a rendered camera watches, the program referees."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cardtable.demo.options import DemoOptions
from cardtable.play.camera_source import card_readers, mat_for
from cardtable.play.hardware_opening import open_outputs
from cardtable.play.hardware_outputs import HardwareOutputs
from cardtable.play.session import Session
from cardtable.simulation.checking import ObservedPipeline, Readings, first_difference
from cardtable.simulation.source import SyntheticSource
from cardtable.simulation.wiring import SimulatedWiring
from vision.decks.deck import OwnDeck


def play_with_camera(options: DemoOptions, wired: Path | None, deck: OwnDeck | None) -> dict[str, Any]:
    """Play the game; return the summary that `demo --json` prints.

    `wired`: the folder for what simulated displays and pins show; None for no hardware. `deck`: the learned deck that
    reads unmarked cards. Raises `CardtableError`.
    """
    with ExitStack() as stack:
        wiring = None
        if wired is not None:
            wiring = SimulatedWiring(options.setting, wired, lambda: source.stage.time, options.language)
            stack.callback(wiring.close)
        pause = None if options.fast else time.sleep
        source = SyntheticSource(options.setting, options.standing, pause, wiring.fingers if wiring else None)
        outputs = None
        if wiring:
            pins = wiring.pins
            outputs = open_outputs(wiring.config, lambda: pins, wiring.clock, stepped=True)
        return play_before(source, options, outputs, deck)


def play_before(
    source: SyntheticSource,
    options: DemoOptions,
    outputs: HardwareOutputs | None = None,
    deck: OwnDeck | None = None,
) -> dict[str, Any]:
    """Referee the game that robots play before a rendered camera; return the summary as `play_with_camera` does.

    `outputs`: what shows the state of play besides the board. `deck`: as for `play_with_camera`.
    """
    header, readings = options.setting.header, Readings()
    readers = card_readers(
        ["faces"] if options.setting.marks == "plain" else [options.setting.marks], deck, header.game
    )
    camera = ObservedPipeline(source, mat_for(header), readers)
    camera.on_observation = readings.take
    started = time.monotonic()
    with Session(
        header,
        [camera],
        options.journal,
        options.past,
        options.board,
        outputs=outputs,
        language=options.language,
        trace=options.trace,
        result_of=options.result_of,
    ) as session:
        options.announce(session)
        session.run()
        seconds = time.monotonic() - started
        table, director = session.controller.table, source.director
        difference = first_difference(table.actions, director.done, director.again)
        options.show_result(session)
        view = session.controller.snapshot.view
        return {
            "game": header.game,
            "players": list(header.players),
            "cards": asdict(readings.count(source.stage.cards_laid)),
            "laid_again": director.laid_again,
            "actions": len(table.actions),
            "scores": list(view.scores),
            "winners": list(view.winners),
            "frames": camera.frame.number + 1 if camera.frame else 0,
            "seconds": round(seconds, 1),
            "agree": difference is None and source.gave_up is None,
            "difference": source.gave_up or difference,
        }
