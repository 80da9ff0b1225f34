"""The JSON Schema of `table.toml`: every key with its type, its limits and its description."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from cardtable.cli import main
from cardtable.config.devices import (
    BuzzerConfig,
    CameraConfig,
    DisplayConfig,
    OneCameraConfig,
    ReaderConfig,
    SeatConfig,
    VoiceConfig,
)
from cardtable.config.model import AccessConfig, BoardConfig, HistoryConfig, TableConfig
from cardtable.config.writing import config_schema

PARTS: dict[str, type[BaseModel]] = {
    part.__name__: part
    for part in (
        AccessConfig,
        BoardConfig,
        BuzzerConfig,
        CameraConfig,
        DisplayConfig,
        HistoryConfig,
        OneCameraConfig,
        ReaderConfig,
        SeatConfig,
        VoiceConfig,
    )
}


def test_every_key_is_described() -> None:
    schema = config_schema()
    assert schema["properties"].keys() == TableConfig.model_fields.keys()
    assert "required" not in schema  # without game and players, the table opens in the lobby
    assert schema["$defs"].keys() == PARTS.keys()
    for name, part in PARTS.items():
        assert schema["$defs"][name]["properties"].keys() == part.model_fields.keys()
    for part in (schema, *schema["$defs"].values()):
        assert part["additionalProperties"] is False
        assert part["description"]
        for key, value in part["properties"].items():
            assert value["description"], key


def kinds(value: dict[str, Any]) -> set[str]:
    """Return the types that the schema allows, without null."""
    return {each.get("type", "reference") for each in value.get("anyOf", [value])} - {"null"}


@pytest.mark.parametrize(
    ("part", "key", "wanted"),
    [
        ("SeatConfig", "button", {"integer", "string"}),
        ("SeatConfig", "encoder", {"array"}),
        ("SeatConfig", "light", {"integer", "string", "array"}),
        ("CameraConfig", "exposure", {"string", "number"}),
        ("VoiceConfig", "command", {"array"}),
        ("BuzzerConfig", "pin", {"integer", "string"}),
    ],
)
def test_values_with_their_own_validator_have_their_type_too(part: str, key: str, wanted: set[str]) -> None:
    assert kinds(config_schema()["$defs"][part]["properties"][key]) == wanted


def test_names_are_enumerated() -> None:
    schema = config_schema()
    assert "its-15" in schema["properties"]["game"]["enum"]
    assert "ssd1306" in schema["$defs"]["DisplayConfig"]["properties"]["kind"]["enum"]


def test_the_options_of_each_game_are_there_with_their_choices() -> None:
    games = {each["if"]["properties"]["game"]["const"]: each["then"] for each in config_schema()["allOf"]}
    assert games["bridge"]["properties"]["options"]["properties"]["scoring"]["enum"] == [
        "chicago",
        "rubber",
        "duplicate",
    ]


def test_the_command_prints_it_in_english_in_every_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert main(["config", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(config_schema()))
