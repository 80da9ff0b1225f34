"""Output for people is in the language of the terminal; output for programs is the same in every language."""

from __future__ import annotations

import argparse
import errno
import importlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.cli import main, own_commands
from cardtable.config.load import read_config
from cardtable.errors import UsageError, why
from cardtable.terminal.arguments import Parser, port
from cardtable.terminal.output import say, set_language, translated
from engine.texts import Text, in_language, text
from tests.cardtable.french import FRENCH, assert_french

GOOD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\n'
HEADER = '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}\n'


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Set a French environment, in an empty folder."""
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    monkeypatch.chdir(tmp_path)


def refusal(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    return captured.err.replace("\xa0", " ")


def plain(shown: str) -> str:
    """Return `shown` on one line."""
    return " ".join(shown.split())


@pytest.mark.usefixtures("french")
def test_the_overview_in_french(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = plain(capsys.readouterr().out)
    for module in own_commands().values():
        summary = importlib.import_module(module).SUMMARY
        assert plain(FRENCH[summary.template]) in shown and summary not in shown
    assert "COMMAND " not in shown and "usage" not in shown


@pytest.mark.usefixtures("french")
@pytest.mark.parametrize("name", own_commands())
def test_the_help_of_every_command_in_french(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"cardtable.cli.{name}")
    parser = Parser(name, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    shown = plain(capsys.readouterr().out)
    texts = [parser.description, *(action.help for action in parser._actions)]
    assert len(texts) >= 2
    for each in texts:
        assert isinstance(each, Text), each
        assert plain(in_language(each, lambda template, *_: FRENCH[template])) in shown
        assert plain(each) not in shown
    assert re.match(rf"utilisation : cardtable {name} ", shown) and f"exemple : {module.EXAMPLE[:15]}" in shown
    assert "usage:" not in shown and "positional" not in shown and "example" not in shown


@pytest.mark.usefixtures("french")
@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], "il manque une commande ; il y a backup, bundle, "),
        (["rpelay"], "il n’y a pas de commande 'rpelay' ; vouliez-vous dire 'replay' ?"),
        (["xyzzy"], "il n’y a pas de commande 'xyzzy' ; il y a backup, bundle, "),
        (["--json", "replay"], "la commande vient avant ses options"),
        (["replay"], "replay: il manque RECORD ; par exemple : cardtable replay game.jsonl"),
        (["replay", "--jsn", "x"], "il n’y a pas d’option --jsn ; vouliez-vous dire '--json' ?"),
        (["replay", "x", "y"], "'y' est un argument de trop"),
        (["replay", "x", "--json=1"], "--json: elle ne prend pas de valeur : retirez '1'"),
        (
            ["demo", "--marks", "faecs"],
            "--marks: 'faecs' n’est pas l’un de faces, qr, aruco ; vouliez-vous dire 'faces'",
        ),
        (["demo", "--seed", "seven"], "--seed: 'seven' n’est pas un nombre entier"),
        (["demo", "--seed"], "--seed: il manque sa valeur"),
        (["tags", "test", "--seconds", "x"], "--seconds: 'x' n’est pas un nombre"),
        (["demo", "--port", "65536"], "--port: 65536 n’est pas un port : choisissez-en un de 1024 à 65535"),
        (["print", "mat", "-o", "mat.pdf", "--game", "mah-jongg"], "print mat: il n’y a pas de jeu 'mah-jongg'"),
        (["replay", "no-such-file.jsonl"], "no-such-file.jsonl ne peut être lu : aucun fichier ni dossier de ce nom"),
        (["run", "-c", "tabel.toml"], "il n’y a pas de fichier tabel.toml ; écrivez-en un : cardtable config -o "),
        (["config", "--game", "mah-jongg"], "il n’y a pas de jeu 'mah-jongg' ; il y a all-fives, "),
        (["config", "--players", "Ann"], "All Fives est pour 2 ou 3 joueurs, et non 1"),
        (
            ["deck"],
            "deck: il manque check|learn|list|test|export|import ; par exemple : cardtable deck check",
        ),
        (
            ["deck", "lern"],
            "deck: 'lern' n’est pas l’un de check, learn, list, test, export, import ; vouliez-vous dire 'learn'",
        ),
        (["tags"], "tags: il manque learn|list|test|replay ; par exemple"),
        (["doctor", "--skip", "camera"], "il n’y a pas d’examen 'camera' ; vouliez-vous dire 'cameras' ?"),
    ],
)
def test_a_wrong_argument_in_french(argv: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert expected in refusal(capsys, *argv)


@pytest.mark.usefixtures("french")
def test_errors_of_the_system_in_french(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").touch()
    for argv, expected in [
        (["tags", "list", "--tags", "."], "cardtable: . ne peut être lu : c’est un dossier\n"),
        (["demo", "--wired", "file", "--headless"], "cardtable: file ne peut être écrit : le fichier existe déjà\n"),
    ]:
        assert main(argv) == 1
        assert capsys.readouterr().err.replace("\xa0", " ") == expected


def argparse_errors() -> Iterator[Text]:
    """Yield the message for every error that argparse finds, with all kinds of arguments that the commands have."""

    def refused(*argv: str) -> Text:
        parser = Parser("try", "cardtable try", text("try"))
        parser.add_argument("what", choices=("a", "b"))
        parser.add_argument("many", nargs="+")
        parser.add_argument("--flag", action="store_true")
        parser.add_argument("--whole", type=int)
        parser.add_argument("--number", type=float)
        parser.add_argument("--perhaps", nargs="?", choices=("a", "b"))
        with pytest.raises(UsageError) as wrong:
            parser.read(argv)
        message = wrong.value.args[0]
        assert isinstance(message, Text)
        return message

    yield refused()
    yield refused("a")
    yield refused("c", "x")
    yield refused("a", "x", "--flg")
    yield refused("a", "x", "--flag=1")
    yield refused("a", "x", "-x")
    yield refused("a", "x", "--whole", "x")
    yield refused("a", "x", "--whole")
    yield refused("a", "x", "--number", "x")
    yield refused("a", "x", "--perhaps", "c")


def test_every_error_of_argparse_has_its_french() -> None:
    for message in argparse_errors():
        assert_french(message)
        wrong = message.values["wrong"]
        assert isinstance(wrong, Text), message


def test_an_unknown_message_of_argparse_is_passed_on() -> None:
    with pytest.raises(UsageError, match=r"^try: something new; for example: cardtable try$"):
        Parser("try", "cardtable try", text("try")).error("something\n new")


def test_where_the_language_comes_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    french, english = "il n’y a pas d’option --prot", "there is no option --prot"
    assert french in refusal(capsys, "demo", "--language", "fr", "--prot", "1")
    assert french in refusal(capsys, "print", "mat", "--prot", "1", "--language=fr")
    assert english in refusal(capsys, "run", "--prot", "1")
    Path("table.toml").write_text(GOOD + 'language = "fr"\n', "utf-8")
    Path("english.toml").write_text(GOOD + 'language = "en"\n', "utf-8")
    Path("silent.toml").write_text(GOOD, "utf-8")
    assert french in refusal(capsys, "run", "--prot", "1")
    assert french in refusal(capsys, "deck", "list", "--prot", "1")
    assert english in refusal(capsys, "run", "-c", "english.toml", "--prot", "1")
    assert english in refusal(capsys, "run", "-cenglish.toml", "--prot", "1")
    assert english in refusal(capsys, "replay", "--prot", "1"), "it reads no configuration"
    assert "est correct" not in refusal(capsys, "config", "--check", "nothing.toml")
    assert main(["config", "--check", "table.toml"]) == 0
    assert capsys.readouterr().out == "table.toml est correct\xa0: all-fives, Ann, Bo\n"
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert english in refusal(capsys, "demo", "--language", "en", "--prot", "1")
    assert english in refusal(capsys, "run", "--config=english.toml", "--prot", "1")
    assert french in refusal(capsys, "run", "-c", "silent.toml", "--prot", "1")
    assert french in refusal(capsys, "replay", "--prot", "1")
    assert "'xx' n’est pas l’un de en, " in refusal(capsys, "demo", "--language", "xx")


def test_the_environment_does_not_choose_the_language_of_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    (tmp_path / "table.toml").write_text(GOOD, "utf-8")
    assert read_config(tmp_path / "table.toml").language == "en"


@pytest.mark.usefixtures("french")
def test_a_record_that_cannot_be_read_in_french(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text(HEADER + '{"do": "play"}\n', "utf-8")
    expected = f"cardtable: {record}, ligne 2 : il faut à 'play' la clé 'seat'\n"
    assert refusal(capsys, "replay", str(record)) == expected
    assert refusal(capsys, "replay", "--json", str(record)) == expected, "people read standard error"


def test_output_for_programs_is_the_same_in_every_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text(HEADER + '{"do": "turn", "card": "4H"}\n{"do": "play", "seat": 0, "card": "QS"}\n', "utf-8")

    def output(*argv: str) -> str:
        status = main(argv)
        return f"{status}\n{capsys.readouterr().out}"

    commands = (["replay", "--json", "--legal", str(record)], ["games", "--json"])
    english = [output(*argv) for argv in commands]
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert [output(*argv) for argv in commands] == english
    refused = json.loads(english[0].splitlines()[2])
    assert (refused["error"], refused["ok"]) == ("wrong-phase", False)
    for_people = output("replay", str(record))
    assert "REFUSÉ wrong-phase" in for_people and refused["message"] not in for_people
    assert "La partie n’est pas finie" in for_people


def test_english_needs_no_catalogue() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cardtable", "--help"], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "cardtable.terminal.output" in loaded and not loaded & {
        "babel",
        "cardtable.languages",
        "tomllib",
        "pydantic",
        "numpy",
    }


def test_ctrl_c_while_the_program_is_loaded_ends_it_without_a_traceback(tmp_path: Path) -> None:
    pressing = """
import os, signal, sys

class Pressing:
    def find_spec(self, name, *rest):
        if name == "cardtable.plugins":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Pressing())
"""
    (tmp_path / "sitecustomize.py").write_text(pressing, "utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "cardtable", "games"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("wanted", [None, "2"])
def test_opencv_has_one_thread_unless_the_environment_says_otherwise(wanted: str | None) -> None:
    program = "from cardtable.cli import main; main(['--version']); import cv2; print(cv2.getNumThreads())"
    environment = {name: value for name, value in os.environ.items() if name != "OPENCV_FOR_THREADS_NUM"}
    environment |= {"OPENCV_FOR_THREADS_NUM": wanted} if wanted else {}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == (wanted or "1")


def test_reasons_of_the_system_are_in_the_catalogue() -> None:
    for number in (errno.ENOENT, errno.EACCES, errno.EISDIR, errno.ENOSPC, errno.EROFS, errno.EADDRNOTAVAIL):
        error = OSError(number, os.strerror(number))
        assert why(error) == os.strerror(number)
        assert_french(why(error))
    assert why(OSError(errno.EXDEV, "Cross-device link")) == "Cross-device link"
    assert why(OSError("something else")) == "something else"


def test_say_prints_in_the_language_of_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    set_language("fr")
    say(text("no card"))
    say(text("no card"), sys.stderr)
    assert capsys.readouterr() == ("aucune carte\n", "aucune carte\n")
    assert translated("Ann") == "Ann"


def test_the_type_of_a_port_keeps_its_text() -> None:
    assert port("8015") == 8015
    with pytest.raises(argparse.ArgumentTypeError) as wrong:
        port("board")
    assert_french(wrong.value.args[0])
