"""The modules of the program that write something, and the output to which it belongs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Writer(NamedTuple):
    """A module that writes something: its writing calls, the output to which they belong, or why it knows no game.

    `given`: its functions that are given a part of the game.
    """

    calls: str
    output: str
    given: str = ""


WRITERS: Final[Mapping[str, Writer]] = {
    "cardtable/board/access/routes.py": Writer("json_answer", "page: pairing"),
    "cardtable/board/connections.py": Writer("write", "page: /live"),
    "cardtable/board/guard.py": Writer("PlainTextResponse send", "no game: it refuses requests"),
    "cardtable/board/guide.py": Writer("Response", "no game: calibration and learning"),
    "cardtable/board/json_requests.py": Writer("Response json_answer", "no game: what another module answers"),
    "cardtable/board/server.py": Writer("JSONResponse Response", "page: /state.json", "feed show"),
    "cardtable/board/fixed_answers.py": Writer("FileResponse JSONResponse", "page: /schema.json"),
    "cardtable/board/integrations/routes.py": Writer("FileResponse Response", "page: /healthz"),
    "cardtable/board/serving.py": Writer("Response StaticFiles send_text", "page: /live"),
    "cardtable/club/commands.py": Writer("say", "no game: a word that Home Assistant has said"),
    "cardtable/club/journal_streams.py": Writer("execute", "club"),
    "cardtable/hub/broker.py": Writer("Popen write_text", "no game: the broker's configuration"),
    "cardtable/club/enrolment.py": Writer("open urlopen write", "no game: certificates"),
    "cardtable/hub/authority.py": Writer("open write write_bytes write_text", "no game: certificates, access list"),
    "cardtable/hub/no_board.py": Writer("HTMLResponse", "no game: the name of a table"),
    "cardtable/hub/game_times.py": Writer("execute", "club"),
    "cardtable/hub/database.py": Writer("execute", "no game: it opens the database"),
    "cardtable/hub/enrolment.py": Writer("execute", "no game: codes"),
    "cardtable/hub/desk.py": Writer("execute", "club"),
    "cardtable/hub/mirror.py": Writer("execute", "club"),
    "cardtable/hub/director_pages.py": Writer("Response json_answer", "no game: results of a tournament"),
    "cardtable/hub/pages.py": Writer("FileResponse Response StaticFiles json_answer send_text", "club"),
    "cardtable/hub/acknowledgements.py": Writer("send", "no game: how many lines are committed"),
    "cardtable/hub/receiver.py": Writer("send", "club"),
    "cardtable/hub/store.py": Writer("execute", "club"),
    "cardtable/commands/club.py": Writer("say write", "no game: certificates"),
    "cardtable/commands/hub.py": Writer("say write", "no game: addresses, counts and codes"),
    "cardtable/cli.py": Writer("fdopen open print run say", "no game: usage and errors"),
    "cardtable/commands/bundle.py": Writer("open say writestr", "bundle"),
    "cardtable/commands/calibrate.py": Writer("print say write_bytes", "no game"),
    "cardtable/commands/config.py": Writer("open print say write", "no game"),
    "cardtable/commands/deck.py": Writer("say", "no game"),
    "cardtable/commands/director.py": Writer("say", "no game: the PIN"),
    "cardtable/commands/demo.py": Writer("print say", "no game: counts, and the result of a game that is over"),
    "cardtable/commands/doctor.py": Writer("print", "no game: the state of the machine"),
    "cardtable/commands/games.py": Writer("print", "no game: the games that can be played"),
    "cardtable/commands/history.py": Writer("open say write writelines", "history", "_replayed"),
    "cardtable/commands/install.py": Writer("say", "no game"),
    "cardtable/service/installing.py": Writer("open run say write write_text", "no game"),
    "cardtable/commands/print.py": Writer("print say", "no game"),
    "cardtable/commands/replay.py": Writer("write", "no game: a record that the user has"),
    "cardtable/commands/run.py": Writer("run say", "no game: addresses and counts"),
    "cardtable/commands/see.py": Writer("print", "no game: a picture that the user has"),
    "cardtable/commands/tags.py": Writer("print say", "no game: a running table holds the port"),
    "cardtable/commands/tournament.py": Writer("say write write_text", "no game: results of games that are over"),
    "cardtable/commands/watch.py": Writer("open print say write", "watch", "end show"),
    "cardtable/deck_learning/course.py": Writer("say", "no game"),
    "cardtable/deck_learning/deck_checking.py": Writer("say", "no game"),
    "cardtable/deck_learning/files.py": Writer("say", "no game"),
    "cardtable/demo/options.py": Writer(
        "say", "several: addresses and counts; the result on the page", "announce result_of show_result"
    ),
    "cardtable/care/restoring.py": Writer("open", "several: a backup that waits, beside the journal"),
    "cardtable/care/web.py": Writer("FileResponse json_answer open write", "no game: updates, sticks and backups"),
    "cardtable/doctor/web.py": Writer("FileResponse Response", "no game: the state of the machine"),
    "cardtable/doctor/machine.py": Writer("run", "no game"),
    "cardtable/doctor/system.py": Writer("run", "no game"),
    "cardtable/doctor/wired.py": Writer("say", "no game: a sentence to test the voice"),
    "cardtable/evening/host.py": Writer("run save", "no game: the evening between games", "_observed _see play"),
    "cardtable/evening/idle_sources.py": Writer(
        "", "no game: what lies there between games", "__init__ _deliver _seen _take enter"
    ),
    "cardtable/evening/memory.py": Writer("execute executemany", "no game: players and settings", "__init__"),
    "cardtable/commands/backup.py": Writer("say", "no game: names of files"),
    "cardtable/service/backup.py": Writer(
        "execute open write writestr", "several: the whole journal, for who owns the machine"
    ),
    "cardtable/service/running.py": Writer("urlopen", "no game: whether a table runs"),
    "cardtable/commands/setup.py": Writer("run say", "no game: it ends before the first card"),
    "cardtable/doctor/cameras_found.py": Writer("run", "no game: cameras"),
    "cardtable/first_start/system.py": Writer("run", "no game: network and clock"),
    "cardtable/first_start/web.py": Writer("FileResponse Response json_answer", "no game: the first start"),
    "cardtable/first_start/terminal.py": Writer("print write_bytes", "no game: the first start"),
    "cardtable/first_start/without_display.py": Writer("say", "no game: the first start"),
    "cardtable/first_start/watching.py": Writer("run save", "no game: the lobby before the first game"),
    "cardtable/evening/playing.py": Writer("run", "several: those of a session", "__init__ _keep_picture _result_of"),
    "cardtable/evening/waiting.py": Writer("run", "no game: the evening between games", "__init__"),
    "cardtable/history/course.py": Writer("execute", "no game: it counts games that are over"),
    "cardtable/history/evenings.py": Writer("execute", "no game: it counts games that are over"),
    "cardtable/history/pictures.py": Writer("open write", "no game: what a camera saw, as on the page"),
    "cardtable/history/statistics.py": Writer("execute", "no game: it counts games that are over"),
    "cardtable/history/web.py": Writer("Response", "page: /history/"),
    "cardtable/languages.py": Writer("write_bytes", "no game: catalogues", "translate_prompts"),
    "cardtable/play/controller.py": Writer(
        "write",
        "several: page, display, lights, voice, log, trace and journal",
        "__init__ _differs _do_and_store _process _without_hands take",
    ),
    "cardtable/play/correcting_controller.py": Writer(
        "write", "several: those of the controller", "_agree _process _start_again"
    ),
    "cardtable/play/hardware_outputs.py": Writer("say", "voice", "show show_screen start"),
    "cardtable/play/journal.py": Writer("execute executemany", "journal", "append"),
    "cardtable/play/journal_checks.py": Writer("execute", "journal"),
    "cardtable/play/journal_file.py": Writer("execute", "journal"),
    "cardtable/play/journal_rows.py": Writer("execute executemany", "journal"),
    "cardtable/play/journal_reading.py": Writer("execute", "journal"),
    "cardtable/play/journal_schema.py": Writer("execute", "journal"),
    "cardtable/play/rfid_source.py": Writer(
        "set_lights",
        "lights of reader boards",
        "__init__ _deal_or_discard _reports deliver open_readers set_aside show",
    ),
    "cardtable/play/session.py": Writer(
        "",
        "several: page, display, lights, voice and camera",
        "__init__ _deliver _feed _show _show_on_hardware _take _take_if_seated enter watch",
    ),
    "cardtable/play/stored_games.py": Writer("execute", "journal", "_without_hands replaying"),
    "cardtable/play/summaries.py": Writer("execute executemany", "journal", "of"),
    "cardtable/play/trace.py": Writer("say write", "trace", "_action _content _sighting actions judgement observation"),
    "cardtable/printing/paper.py": Writer("output", "no game"),
    "cardtable/service/support_bundle.py": Writer("run", "bundle"),
    "cardtable/service/systemd.py": Writer("sendto", "no game: ready and alive"),
    "cardtable/simulation/wiring.py": Writer("open write_text", "no game: the pins of the simulated table"),
    "cardtable/tags/board.py": Writer("open print", "no game: a running table holds the port"),
    "cardtable/tags/learn.py": Writer("print", "no game: a running table holds the port"),
    "cardtable/tags/replay.py": Writer("print", "no game: a file that the user has"),
    "cardtable/terminal/output.py": Writer("print", "its own callers are listed: `say`"),
    "cardtable/terminal/progress.py": Writer("print write", "no game: progress of long work; what others print passes"),
    "firmware_bridge/bridge.py": Writer("write", "lights of reader boards"),
    "firmware_bridge/building.py": Writer("open print run", "no game"),
    "firmware_bridge/raw.py": Writer("write", "no game: a terminal to the board"),
    "firmware_bridge/simulated.py": Writer("Popen write", "no game: the simulated board"),
    "firmware_bridge/tags.py": Writer("open write", "no game: which tag is on which card"),
    "hardware/displays.py": Writer("display output save value= write_bytes", "display", "show"),
    "hardware/drawing.py": Writer("write", "display", "_write _write_menu _write_players draw"),
    "hardware/seats.py": Writer("on value=", "lights and buzzer", "show"),
    "hardware/voice.py": Writer("Popen", "voice"),
    "vision/atomic_files.py": Writer("open write write_bytes", "no game: calibrations and decks"),
    "vision/cameras/picamera.py": Writer("Popen write", "no game: settings of a camera"),
    "vision/cameras/picamera_process.py": Writer("send write", "no game: frames of a camera"),
    "vision/decks/deck.py": Writer("writestr", "no game: a learned deck"),
    "vision/faces/index_classifier.py": Writer("run", "no game: the nets"),
    "vision/faces/index_detector.py": Writer("run", "no game: the nets"),
    "vision/faces/card_classifier.py": Writer("run", "no game: the nets"),
    "vision/faces/detector_gate.py": Writer("run", "no game: the nets"),
    "vision/faces/suit_finder.py": Writer("run", "no game: the nets"),
    "vision/faces/ncnn_session.py": Writer("write_bytes write_text", "no game: the nets"),
    "vision/faces/runtime_choice.py": Writer("run", "no game: the nets"),
    "vision/faces/runtime_measuring.py": Writer("print run", "no game: the nets"),
}
