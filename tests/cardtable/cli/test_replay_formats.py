"""`cardtable replay` takes the files of other programs by their content, from a file or from standard input."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from cardtable.cli import main

DEAL = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
PBN = f"""[Board "1"]
[Deal "N:AKQ - - -"]

[Board "2"]
[Deal "{DEAL}"]
[Auction "E"]
1NT AP
[Result "6"]
[Score "EW -100"]

[Board "3"]
[Auction "S"]
4S AP
[Result "10"]
"""


def replay(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(["replay", *argv])
    out, err = capsys.readouterr()
    return status, out, err


def test_faulty_boards_are_named_and_the_others_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "EVENING.PBN"
    path.write_text(PBN)
    fault = "board 1, line 2, [Deal]: a hand is written like AK5.QJT9.876.432, not 'AKQ'"
    doubt = "board 2, line 9, [Score]: 100, but North and South score 50"
    status, out, err = replay(capsys, str(path))
    assert err.splitlines() == [f"replay: {fault}", f"replay: {doubt}"]
    assert (status, out.splitlines()[-1]) == (0, "North and South won, 50–0; 8 accepted.")
    assert replay(capsys, str(path), "--board", "1")[::2] == (2, f"cardtable: {path}, {fault}\n")
    _, out, _ = replay(capsys, str(path), "--board", "3", "--json")
    end = json.loads(out.splitlines()[-1])
    assert (end["over"], end["scores"], end["winners"]) == (True, [420, 0], [0])


@pytest.mark.parametrize(
    ("name", "written", "message"),
    [
        ("a.pbn", "{" * 200_000, "it has no board that can be read"),
        ("a.txt", "pn|a,b,c,d|", "it has no board that can be read"),
        ("a.xml", "<USEBIO/>", "it has no board that can be read"),
        ("a.xml", "<USEBIO", "line 1: this is not XML"),
        ("a.jsonl", "{" * 200_000, "line 1: this is not JSON"),
    ],
)
def test_no_board(name: str, written: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_text(written)
    status, out, err = replay(capsys, str(tmp_path / name))
    assert (status, out) == (2, "") and message in err


def test_text_in_utf_16_and_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in (("wide.pbn", PBN.encode("utf-16")), ("a.pbn.gz", gzip.compress(PBN.encode(), mtime=0))):
        (tmp_path / name).write_bytes(content)
    assert replay(capsys, str(tmp_path / "wide.pbn"), "--board", "3")[0] == 0
    status, _, err = replay(capsys, str(tmp_path / "a.pbn.gz"))
    assert status == 2 and "not text in UTF-8: unpack" in err


def test_a_record_sends_nothing_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (
        {"record": 1, "game": "cribbage", "players": ["A\x1b[2Jnn", "Bo\u202e"], "dealer": 0},
        {"do": "say", "seat": 0, "word": "\x1b[2J"},
    )
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, out, err = replay(capsys, str(tmp_path / "a.jsonl"))
    assert "\x1b" not in out + err and "\u202e" not in out + err


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for written, last in (
        (PBN.partition("\n\n")[2], "North and South won, 50–0; 8 accepted."),
        ("md|3,,,|mb|1N|mb|p|mb|p|mb|p|pc|SA|mc|7|", "North and South won, 90–0; 9 accepted."),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))
        assert replay(capsys, "-")[1].splitlines()[-1] == last


def test_a_result_that_the_rules_do_not_confirm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    deal = "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.C8.SA.ST.SK.SQ.S9.S8.S7.HA.HT.HK.HQ.H9.H8.H7.DA.DT.DK.DQ.D9.D8.C7.D7"
    hands = [deal.split(".")[10 * seat : 10 * seat + 10] for seat in range(3)]
    played = " ".join(f"{seat} {card}" for trick in zip(*hands, strict=True) for seat, card in enumerate(trick))
    path.write_text(f"(;GM[Skat]P0[A]P1[B]P2[C]MV[w {deal} 1 p 2 p 0 18 0 CH {played} ]R[d:0 win v:99 m:4] ;)\n")
    status, out, err = replay(capsys, str(path))
    assert (status, err) == (1, "replay: the file says 99–0–0, the rules 180–0–0\n")
    assert out.splitlines()[-1].startswith("The game is not over: 180–0–0; ")


def test_a_game_of_skat_that_ended_early_has_the_result_of_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.sgf"
    deal = "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.C8.SA.ST.SK.SQ.S9.S8.S7.HA.HT.HK.HQ.H9.H8.H7.DA.DT.DK.DQ.D9.D8.C7.D7"
    for moves, result, last in (
        ("0 CJ 1 SC 1 RE 2 RE", "d:0 win v:156 m:11 r:1", "A won, 156–0–0; 9 accepted."),
        ("0 CJ 1 SA 0 ?? w LE.1", "d:0 win v:180 m:11 l:1", "A won, 180–0–0; 10 accepted."),
        ("w TI.0", "d:0 loss v:-312 m:11 to:0", "B and C won, 0 : 0 : −312; 8 accepted."),
    ):
        path.write_text(f"(;GM[Skat]P0[A]P1[B]P2[C]MV[w {deal} 1 p 2 p 0 18 0 CH {moves} ]R[{result}] ;)\n")
        status, out, err = replay(capsys, str(path))
        assert (status, err, out.splitlines()[-1]) == (0, "", last)
