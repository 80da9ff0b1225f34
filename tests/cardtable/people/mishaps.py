"""The list of all mishaps."""

from __future__ import annotations

from typing import Final

from tests.cardtable.people.at_any_time import (
    camera_lost,
    laid_while_it_was_off,
    left_from_another_game,
    looked_at,
    nudged,
    pack_pushed_about,
    squared_up,
    started_again,
    undone,
)
from tests.cardtable.people.of_cards import (
    another_first,
    laid_in_wrong_zone,
    laid_outside,
    misread,
    out_of_turn,
    taken_back_at_once,
    the_next_before,
    two_at_once,
    unread_at_first,
)
from tests.cardtable.people.of_taking import (
    face_down_left,
    in_two_sweeps,
    one_by_one,
    own_card_first,
    put_back,
    swept_late,
    wrong_cards_taken,
)
from tests.cardtable.people.of_words import (
    another_word_first,
    said_by_the_wrong_seat,
    said_on_the_page,
    word_laid_twice,
    word_left_lying,
)
from tests.cardtable.people.people import Mishap

MISHAPS: Final[tuple[Mishap, ...]] = (
    laid_outside,
    laid_in_wrong_zone,
    taken_back_at_once,
    another_first,
    two_at_once,
    unread_at_first,
    misread,
    out_of_turn,
    the_next_before,
    said_on_the_page,
    said_by_the_wrong_seat,
    another_word_first,
    word_left_lying,
    word_laid_twice,
    one_by_one,
    in_two_sweeps,
    swept_late,
    own_card_first,
    put_back,
    wrong_cards_taken,
    face_down_left,
    nudged,
    squared_up,
    looked_at,
    started_again,
    laid_while_it_was_off,
    left_from_another_game,
    camera_lost,
    undone,
    pack_pushed_about,
)
