"""Words of a game: their form, their keys, and the marks of their action cards."""

from __future__ import annotations

from zlib import crc32

import pytest

from engine.words import FREE_MARKS, MARKS, Word, marks_of


@pytest.mark.parametrize("name", ["", "Beg", "take one", "-beg", "beg-", "a" * 41, "bé"])
def test_a_name_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"^a word is a number, a bid, or lower-case letters and hyphens, at most \d+: "
    ):
        Word(name)


@pytest.mark.parametrize("needs", [("evidence",), ("against", "card", "evidence")])
def test_evidence_is_a_card_of_the_accused_seat(needs: tuple[str, ...]) -> None:
    with pytest.raises(ValueError) as error:
        Word("revoke", needs=needs)  # type: ignore[arg-type]
    assert str(error.value) == "evidence is a card of another seat: 'revoke' needs 'against', and no other card"


@pytest.mark.parametrize("mark", [MARKS[0] - 1, MARKS[-1] + 1])
def test_a_mark_out_of_range_is_refused(mark: int) -> None:
    with pytest.raises(ValueError) as error:
        Word("beg", mark=mark)
    assert str(error.value) == f"the mark of an action card is one of {MARKS[0]} to {MARKS[-1]}, not {mark}"


def test_the_first_and_the_last_mark_are_allowed() -> None:
    assert [Word("beg", mark=mark).mark for mark in (MARKS[0], MARKS[-1])] == [MARKS[0], MARKS[-1]]


def test_the_longest_name() -> None:
    assert Word("a" * 32).name == "a" * 32
    with pytest.raises(ValueError):
        Word("a" * 33)


def test_the_keys_of_a_word() -> None:
    assert Word("stand").keys == ()
    assert Word("call", needs=("card",)).keys == ("card",)
    assert Word("accuse", needs=("against",)).keys == ("against",)
    assert Word("revoke", needs=("against", "evidence")).keys == ("against", "card")
    assert Word("ask", needs=("against", "card")).keys == ("against", "card")


def test_marks_of_words() -> None:
    first = FREE_MARKS[crc32(b"hello") % len(FREE_MARKS)]
    assert marks_of([Word("hello")]) == {"hello": first}
    assert marks_of([Word("beg", mark=MARKS[0]), Word("hello"), Word("hello")]) == {"beg": MARKS[0], "hello": first}
    # A mark that another word declares is not free: the next one is used, and after the last one the first.
    taken = marks_of([Word("hello"), Word("beg", mark=first)])
    after = FREE_MARKS[(FREE_MARKS.index(first) + 1) % len(FREE_MARKS)]
    assert taken == {"hello": after, "beg": first}
    # If a name has two declared marks, the first one counts, even for an earlier word without a mark.
    assert marks_of([Word("beg"), Word("beg", mark=MARKS[1]), Word("beg", mark=MARKS[2])]) == {"beg": MARKS[1]}


def test_words_without_a_free_mark_are_left_out() -> None:
    many = [
        Word(f"word-{'abcdefghijklmnopqrstuvwxyz'[i // 26]}{'abcdefghijklmnopqrstuvwxyz'[i % 26]}") for i in range(300)
    ]
    marks = marks_of(many)
    assert sorted(marks.values()) == sorted(FREE_MARKS)
    assert [word.name for word in many[: len(FREE_MARKS)]] == list(marks)
