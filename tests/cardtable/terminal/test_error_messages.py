"""Mistakes in a configuration or a record: every message of tomllib, pydantic and json has a text of the program."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from cardtable.cli import main
from cardtable.config.model import TableConfig
from cardtable.config.toml_file import explain, toml_fault
from engine.errors import RecordError
from engine.record import read_record
from engine.texts import Text, text
from tests.cardtable.french import assert_french

GOOD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\n'
HEADER = '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}\n'


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[board]\nprot = 8015\n", ", ligne 5 : il n’y a pas de clé 'board.prot' ; vouliez-vous dire 'port' ?"),
        ("xyzzy = 1\n", ", ligne 4 : il n’y a pas de clé 'xyzzy' ; il y a game, players"),
        ("[board]\nport = 99999\n", ", ligne 5 : 'board.port' vaut 99999 : il faut 65535 ou moins"),
        ('marks = ["fcaes"]\n', ", ligne 4 : 'marks' vaut 'fcaes', qui n’est pas l’un de 'faces', 'qr', 'aruco'"),
        ("[[seat]]\nbutton = 17\n", ", ligne 4 : il manque la clé 'seat.seat' ; par exemple : seat = 0"),
        (
            '[camera]\nfocus = "x"\n',
            ", ligne 5 : 'camera.focus' vaut 'x' : il faut \"auto\", \"lock\", ou un nombre de",
        ),
        ('[[reader]]\nzones = ["x"]\n', ", ligne 5 : 'reader.zones' vaut 'x' : aucune zone ne s’appelle ainsi ; il"),
        ("[options]\ntagret = 5\n", ", ligne 5 : All Fives n’a pas d’option 'tagret' ; vouliez-vous dire 'target' ?"),
        ('[options]\ntarget = "a"\n', "ligne 5 : l’option 'target' est un nombre entier à partir de 1, et non 'a'"),
        ("[buzzer]\npin = 2\n[[display]]\nkind = 'ssd1306'\n", "ligne 6 : GPIO2 sert deux fois : pour le ronfleur et"),
        (
            'source = "usb:0\n',
            ", ligne 4 : ce n’est pas du TOML (caractère interdit '\\n', colonne 16) : source = \"usb:0",
        ),
        ("[board]\n[board]\n", ", ligne 5 : [board] commence déjà à la ligne 4 ; gardez l’une des deux sections"),
        ('hosts = ["a",\n', ", ligne 4 : ce n’est pas du TOML (valeur impossible là où le fichier finit) : hosts"),
    ],
)
def test_a_mistake_in_the_configuration_in_french(
    written: str, expected: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "table.toml"
    path.write_text(GOOD + 'language = "fr"\n' + written, "utf-8")
    assert main(["config", "--check", str(path)]) == 2
    message = capsys.readouterr().err.replace("\xa0", " ")
    assert message.startswith(f"cardtable: {path}, ligne ") and message.count("\n") == 1
    assert expected in message


WRONG: list[Any] = [5, -1, 10**30, 1.5, float("nan"), True, "", "x", "x" * 99, date(2026, 1, 1)]
WRONG += [[], [[]], [1], [1] * 20, ["x"] * 20, [True, {}], [{}], {}, {"a": 1}, [{"xyzzy": 1}]]


def wrong_tables(model: type[TableConfig], more: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield configurations in which one key has a value of `WRONG`: every key, every value.

    `more`: the sections of plug-ins in the model, with the keys that each must have.
    """
    good = {"game": "all-fives", "players": ["Ann", "Bo"]}
    parts: dict[str, tuple[bool, dict[str, Any]]] = {
        "board": (False, {}),
        "voice": (False, {}),
        "history": (False, {}),
        "access": (False, {}),
        "buzzer": (False, {"pin": 1}),
        "camera": (False, {}),
        "cameras": (True, {"source": "usb:0"}),
        "reader": (True, {"zones": ["turn-up"]}),
        "seat": (True, {"seat": 0}),
        "display": (True, {"kind": "png"}),
    } | {name: (False, needed) for name, needed in more.items()}
    for key, field in model.model_fields.items():
        for value in WRONG:
            yield {**good, key: value}
        if key == "options":
            for value in WRONG:
                yield {**good, key: {"target": value}}
        elif key in parts:
            several, needed = parts[key]
            config = next(model for model in _models(field.annotation))
            for inner in config.model_fields:
                for value in WRONG:
                    part = {**needed, inner: value}
                    yield {**good, key: [part] if several else part}
        else:
            assert not list(_models(field.annotation)), f"{key}: add it above"


def _models(annotation: Any) -> Iterator[Any]:
    if hasattr(annotation, "model_fields"):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _models(part)


def test_every_wrong_value_has_a_translated_message() -> None:
    """No sentence of pydantic is shown, and every message has its French."""
    check_wrong_values(TableConfig, {})


def check_wrong_values(model: type[TableConfig], more: dict[str, dict[str, Any]]) -> None:
    kinds: set[str] = set()
    for table in wrong_tables(model, more):
        try:
            model.model_validate(table)
        except ValidationError as error:
            kinds |= {fault["type"] for fault in error.errors()}
            message = explain(lambda where: text("{path}, line {line}", path="table.toml", line=1), error, model)
            assert_french(message)
            assert "is not valid here" not in message, (table, error)
            assert "nput should" not in message, table
    assert {"extra_forbidden", "literal_error", "int_type", "greater_than_equal", "value_error"} <= kinds


def test_every_message_of_tomllib_has_its_french() -> None:
    """Every message in the source of tomllib, also those that contain a value."""
    parser = sys.modules[tomllib.loads.__module__]
    assert parser.__file__
    found = 0
    for call in ast.walk(ast.parse(Path(parser.__file__).read_text("utf-8"))):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("suffixed_err", "TOMLDecodeError"):
            argument = call.args[0 if call.func.id == "TOMLDecodeError" else -1]  # type: ignore[attr-defined]
            if isinstance(argument, ast.Constant):
                message = str(argument.value)
            elif isinstance(argument, ast.JoinedStr) and "coord" not in ast.unparse(argument):
                message = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "'x'" for part in argument.values
                )
            else:
                continue
            found += 1
            assert_french(toml_fault(message))
    assert found > 15
    assert toml_fault("Something new") == "something new"


@pytest.mark.parametrize(
    "line",
    [
        b"x",
        b"\xff",
        b"\xc3(",
        b"\xc3",
        b'{"a"}',
        b'{"a": }',
        b'{"a": 1 "b"}',
        b"{a: 1}",
        b'{"a": "b',
        b'{"a": "\\x"}',
        b'{"a": "\\u12"}',
        b'{"a": "\x01"}',
        b'{"a": 1,}',
        b"{} {}",
        b"[1,]",
        b"[" * 100000,
        b"5",
        b"{}",
        b'{"record": 2}',
        b'{"record": 1}',
        b'{"record": 1, "game": 5, "players": []}',
        b'{"record": 1, "game": "mah-jongg", "players": []}',
        b'{"record": 1, "game": "all-fives", "players": 5}',
        b'{"record": 1, "game": "all-fives", "players": ["\\ud800", "Bo"]}',
        b'{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": "Ann"}',
        b'{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 3}',
        b'{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "options": 5}',
        b'{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "options": {"revoke_bonus": 5}}',
        b'{"record": 1, "game": "le-quinze", "players": ["Ann", "Bo"], "options": {"leftovers": "me"}}',
        b'{"record": 1, "game": "its-15", "players": ["Ann", "Bo"]}',
        b'{"record": 1, "game": "its-15", "players": ["A", "B"], "dealer": 0, "options": {"xyzzy": 1}}',
        b"",
        HEADER.encode() + b'{"do": "fly"}',
        HEADER.encode() + b'{"do": "play"}',
        HEADER.encode() + b'{"do": "play", "seat": 7, "card": "QS"}',
        HEADER.encode() + b'{"do": "play", "seat": "x", "card": "QS"}',
        HEADER.encode() + b'{"do": "play", "seat": 0, "card": 5}',
        HEADER.encode() + b'{"do": "discard", "seat": 0, "cards": 5}',
        HEADER.encode() + b'{"do": "say", "seat": 0, "word": 5}',
    ],
)
def test_every_mistake_in_a_record_has_its_french(line: bytes) -> None:
    with pytest.raises(RecordError) as wrong:
        read_record(line.splitlines())
    assert_french(str(wrong.value))
    for part in _leaves(wrong.value.reason):
        assert not re.search("[A-Z][a-z]+ [a-z]+ [a-z]+", part), "something of Python's own"


def _leaves(message: object) -> Iterator[str]:
    """Yield the values in a text that are not texts: names, numbers, quotations."""
    if isinstance(message, Text):
        for value in message.values.values():
            yield from _leaves(value)
    elif isinstance(message, str):
        yield message


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["demo", "--seed", "-1"], "une graine est un nombre entier à partir de 0, et non -1"),
        (["demo", "--game", "wist"], "la table simulée n’a pas de joueurs pour 'wist'"),
        (["watch", "nix", "--game", "all-fives", "--players", "A,B"], "Il n’y a ni vidéo ni dossier 'nix'."),
        (["watch", "synthetic:all-fives?sed=1", "--game", "all-fives", "--players", "A,B"], "vouliez-vous dire 'seed'"),
        (["deck", "learn", "My Deck"], "'My Deck' : un jeu de cartes s’appelle par des minuscules"),
        (
            ["deck", "import", "bad.deck"],
            "bad.deck n’est pas un jeu de cartes (abîmé, ou un fichier d’une autre sorte)",
        ),
    ],
)
def test_a_source_or_a_setting_that_does_not_work_in_french(
    argv: list[str],
    expected: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    monkeypatch.chdir(tmp_path)
    Path("bad.deck").write_bytes(b"no deck")
    assert main(argv) == 2
    assert expected in capsys.readouterr().err.replace("\xa0", " ")


def test_a_missing_picture_in_french_but_not_in_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    monkeypatch.chdir(tmp_path)
    assert main(["see", "nix.png"]) == 1
    assert capsys.readouterr().err == "nix.png\xa0: il n’y a pas de tel fichier\n"
    assert main(["see", "nix.png", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"image": "nix.png", "error": "there is no such file"}
