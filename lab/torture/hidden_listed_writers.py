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
    "cardtable/web/phones.py": Writer("json_answer", "page: pairing"),
    "cardtable/web/connections.py": Writer("write", "page: /live"),
    "cardtable/web/connections.py": Writer("PlainTextResponse send", "no game: it refuses requests"),
    "cardtable/web/guide.py": Writer("Response", "no game: calibration and learning"),
    "cardtable/web/serving.py": Writer("Response json_answer", "no game: what another module answers"),
    "cardtable/web/server.py": Writer("JSONResponse Response", "page: /state.json", "feed show"),
    "cardtable/web/server.py": Writer("FileResponse JSONResponse", "page: /schema.json"),
    "cardtable/web/integrations.py": Writer("FileResponse Response", "page: /healthz"),
    "cardtable/web/serving.py": Writer("Response StaticFiles send_text", "page: /live"),
    "club/cardtable_club/member/link.py": Writer("say", "no game: a word that Home Assistant has said"),
    "club/cardtable_club/member/outbox.py": Writer("execute", "club"),
    "club/cardtable_club/hub/broker.py": Writer("Popen write_text", "no game: the broker's configuration"),
    "club/cardtable_club/member/enrolment.py": Writer("open urlopen write", "no game: certificates"),
    "club/cardtable_club/hub/authority.py": Writer(
        "open write write_bytes write_text", "no game: certificates, access list"
    ),
    "club/cardtable_club/hub/pages.py": Writer("HTMLResponse", "no game: the name of a table"),
    "club/cardtable_club/hub/games.py": Writer("execute", "club"),
    "club/cardtable_club/hub/store.py": Writer("execute", "no game: it opens the database"),
    "club/cardtable_club/hub/authority.py": Writer("execute", "no game: codes"),
    "club/cardtable_club/hub/director.py": Writer("execute", "club"),
    "club/cardtable_club/hub/games.py": Writer("execute", "club"),
    "club/cardtable_club/hub/director_pages.py": Writer("Response json_answer", "no game: results of a tournament"),
    "club/cardtable_club/hub/pages.py": Writer("FileResponse Response StaticFiles json_answer send_text", "club"),
    "club/cardtable_club/hub/receiver.py": Writer("send", "no game: how many lines are committed"),
    "club/cardtable_club/hub/receiver.py": Writer("send", "club"),
    "club/cardtable_club/hub/store.py": Writer("execute", "club"),
    "club/cardtable_club/commands/club.py": Writer("say write", "no game: certificates"),
    "club/cardtable_club/commands/hub.py": Writer("say write", "no game: addresses, counts and codes"),
    "cardtable/cli/__init__.py": Writer("fdopen open run say write", "no game: usage and errors"),
    "cardtable/cli/bundle.py": Writer("open say writestr", "bundle"),
    "cardtable/cli/calibrate.py": Writer("print say write_bytes", "no game"),
    "cardtable/cli/config.py": Writer("open print say write", "no game"),
    "cardtable/cli/deck.py": Writer("say", "no game"),
    "cardtable/cli/director.py": Writer("say", "no game: the PIN"),
    "cardtable/cli/demo.py": Writer("print say", "no game: counts, and the result of a game that is over"),
    "cardtable/cli/doctor.py": Writer("print", "no game: the state of the machine"),
    "cardtable/cli/games.py": Writer("print", "no game: the games that can be played"),
    "cardtable/cli/history.py": Writer("open say write writelines", "history", "_replayed"),
    "cardtable/cli/install.py": Writer("say", "no game"),
    "cardtable/maintenance/install.py": Writer("open run say write write_text", "no game"),
    "cardtable/cli/print.py": Writer("print say", "no game"),
    "cardtable/cli/replay.py": Writer("write", "no game: a record that the user has"),
    "cardtable/cli/run.py": Writer("run say", "no game: addresses and counts"),
    "cardtable/cli/see.py": Writer("print", "no game: a picture that the user has"),
    "cardtable/cli/tags.py": Writer("print say", "no game: a running table holds the port"),
    "club/cardtable_club/commands/tournament.py": Writer(
        "say write write_text", "no game: results of games that are over"
    ),
    "cardtable/cli/watch.py": Writer("open print say write", "watch", "end show"),
    "cardtable/setup/deck_course.py": Writer("say", "no game"),
    "cardtable/setup/deck_course.py": Writer("say", "no game"),
    "cardtable/setup/deck_files.py": Writer("say", "no game"),
    "cardtable/cli/demo.py": Writer(
        "say", "several: addresses and counts; the result on the page", "announce result_of show_result"
    ),
    "cardtable/maintenance/backup.py": Writer("open", "several: a backup that waits, beside the journal"),
    "cardtable/maintenance/pages.py": Writer(
        "FileResponse json_answer open write", "no game: updates, sticks and backups"
    ),
    "cardtable/doctor/pages.py": Writer("FileResponse json_answer", "no game: the state of the machine"),
    "cardtable/doctor/finding.py": Writer("run", "no game"),
    "cardtable/doctor/system.py": Writer("run", "no game"),
    "cardtable/doctor/devices.py": Writer("say", "no game: a sentence to test the voice"),
    "cardtable/evening/host.py": Writer("run save", "no game: the evening between games", "_observed _see play"),
    "cardtable/evening/waiting.py": Writer(
        "", "no game: what lies there between games", "__init__ _deliver _seen _take enter"
    ),
    "cardtable/evening/memory.py": Writer("execute executemany", "no game: players and settings", "__init__"),
    "cardtable/cli/backup.py": Writer("say", "no game: names of files"),
    "cardtable/maintenance/backup.py": Writer(
        "execute open write writestr", "several: the whole journal, for who owns the machine"
    ),
    "cardtable/maintenance/systemd.py": Writer("urlopen", "no game: whether a table runs"),
    "cardtable/cli/setup.py": Writer("run say", "no game: it ends before the first card"),
    "cardtable/doctor/cameras.py": Writer("run", "no game: cameras"),
    "cardtable/setup/network.py": Writer("run", "no game: network and clock"),
    "cardtable/setup/pages.py": Writer("FileResponse Response json_answer", "no game: the first start"),
    "cardtable/setup/terminal.py": Writer("print write_bytes", "no game: the first start"),
    "cardtable/setup/without_display.py": Writer("say", "no game: the first start"),
    "cardtable/setup/sites.py": Writer("run save", "no game: the lobby before the first game"),
    "cardtable/evening/playing.py": Writer("run", "several: those of a session", "__init__ _keep_picture _result_of"),
    "cardtable/evening/waiting.py": Writer("run", "no game: the evening between games", "__init__"),
    "cardtable/history/replay.py": Writer("execute", "no game: it counts games that are over"),
    "cardtable/history/statistics.py": Writer("execute", "no game: it counts games that are over"),
    "cardtable/history/pictures.py": Writer("open write", "no game: what a camera saw, as on the page"),
    "cardtable/history/statistics.py": Writer("execute", "no game: it counts games that are over"),
    "cardtable/history/pages.py": Writer("Response", "page: /history/"),
    "cardtable/languages.py": Writer("write_bytes", "no game: catalogues", "translate_prompts"),
    "cardtable/table/game_loop.py": Writer(
        "write",
        "several: page, display, lights, voice, log, trace and journal",
        "__init__ _differs _do_and_store _process _without_hands take",
    ),
    "cardtable/table/game_loop.py": Writer("write", "several: those of the controller", "_agree _process _start_again"),
    "cardtable/table/outputs.py": Writer("say", "voice", "show show_screen start"),
    "cardtable/journal/journal.py": Writer("execute executemany", "journal", "append"),
    "cardtable/journal/file.py": Writer("execute", "journal"),
    "cardtable/journal/file.py": Writer("execute", "journal"),
    "cardtable/journal/journal.py": Writer("execute executemany", "journal"),
    "cardtable/journal/games.py": Writer("execute", "journal"),
    "cardtable/journal/schema.py": Writer("execute", "journal"),
    "cardtable/table/readers.py": Writer(
        "set_lights",
        "lights of reader boards",
        "__init__ _deal_or_discard _reports deliver open_readers set_aside show",
    ),
    "cardtable/evening/playing.py": Writer(
        "",
        "several: page, display, lights, voice and camera",
        "__init__ _deliver _feed _show _show_on_hardware _take _take_if_seated enter watch",
    ),
    "cardtable/journal/games.py": Writer("execute", "journal", "_without_hands replaying"),
    "cardtable/journal/games.py": Writer("execute executemany", "journal", "of"),
    "cardtable/table/trace.py": Writer(
        "say write", "trace", "_action _content _sighting actions judgement observation"
    ),
    "cardtable/paper/pdf.py": Writer("output", "no game"),
    "cardtable/maintenance/support_bundle.py": Writer("run", "bundle"),
    "cardtable/maintenance/systemd.py": Writer("sendto", "no game: ready and alive"),
    "cardtable/simulation/wiring.py": Writer("open write_text", "no game: the pins of the simulated table"),
    "cardtable/cli/tags.py": Writer("open print", "no game: a running table holds the port"),
    "cardtable/cli/tags.py": Writer("print", "no game: a running table holds the port"),
    "cardtable/cli/tags.py": Writer("print", "no game: a file that the user has"),
    "cardtable/terminal/output.py": Writer("print", "its own callers are listed: `say`"),
    "cardtable/terminal/progress.py": Writer("print write", "no game: progress of long work; what others print passes"),
    "firmware_bridge/bridge.py": Writer("write", "lights of reader boards"),
    "firmware_bridge/building.py": Writer("open print run", "no game"),
    "firmware_bridge/recorder.py": Writer("write", "no game: a terminal to the board"),
    "firmware_bridge/simulated.py": Writer("Popen write", "no game: the simulated board"),
    "firmware_bridge/tags.py": Writer("open write", "no game: which tag is on which card"),
    "hardware/displays.py": Writer("display output save value= write_bytes", "display", "show"),
    "hardware/displays.py": Writer("write", "display", "_write _write_menu _write_players draw"),
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
