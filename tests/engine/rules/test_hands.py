"""Hidden, known and mixed hands; declared voids and the proofs that disprove them."""

from __future__ import annotations

from itertools import chain
from random import Random

from engine.cards import STANDARD_DECK, Deck
from engine.rules.hands import LAID_AWAY, SEEN, Hand, HeldBack
from engine.rules.sampling import random_hands
from engine.rules.state import Pack
from engine.rules.tricks import Ranking
from engine.texts import text
from tests.engine.talk import card


def hands() -> tuple[Hand, ...]:
    return Pack(STANDARD_DECK, 2).hands


def test_a_hand_without_cards_is_known() -> None:
    ann, _ = hands()
    assert (ann.size, ann.complete) == (0, True)


def test_a_known_hand_holds_what_was_dealt_and_nothing_else() -> None:
    ann, bo = hands()
    ann.deal([card("AS"), card("2H")])
    bo.deal_unseen(2)
    assert ann.complete and not bo.complete
    assert ann.may_hold(card("AS")) and not ann.may_hold(card("KS"))
    assert not bo.may_hold(card("AS")) and bo.may_hold(card("KS"))
    assert ann.must_follow("S") and not ann.must_follow("C")
    assert ann.surely_void("C") and not bo.surely_void("C")


def test_an_unnamed_deal_hides_the_hand_but_keeps_known_cards() -> None:
    ann, _ = hands()
    ann.deal([card("AS")])
    ann.deal_unseen(1)
    assert not ann.complete and ann.size == 2
    assert ann.must_follow("S")
    assert ann.may_hold(card("KH"))


def test_a_card_of_a_declared_void_proves_a_revoke_once() -> None:
    _, bo = hands()
    bo.deal_unseen(6)
    assert not bo.lay(card("2S"), led="H")
    assert not bo.lay(card("3S"), led="H")
    assert bo.voids == ("H",)
    assert bo.lay(card("9H"), led="D")
    assert bo.voids == ("D",)
    assert not bo.lay(card("8H"), led="H")


def test_a_void_that_is_cancelled_is_disproved_by_no_card() -> None:
    _, bo = hands()
    bo.deal_unseen(6)
    bo.lay(card("2S"), led="H")
    bo.cancel_void("H")
    assert not bo.declared_void("H")
    assert not bo.show(card("9H"))


def test_exposed_and_shown_cards_prove_revokes_and_stay_in_the_hand() -> None:
    _, bo = hands()
    bo.deal_unseen(6)
    bo.lay(card("2S"), led="H")
    assert bo.expose(card("9H"))
    assert bo.size == 5 and bo.must_follow("H") and card("9H") in bo.exposed
    bo.lay(card("2C"), led="D")
    assert bo.show(card("9D"))
    assert not bo.show(card("8D"))


def test_taking_back_restores_hand_and_declarations() -> None:
    _, bo = hands()
    bo.deal_unseen(6)
    bo.lay(card("2S"), led="H")
    bo.lay(card("3S"), led="H")
    bo.take_back(card("3S"), led="H")
    assert bo.size == 5 and bo.declared_void("H") and bo.must_follow("S")
    bo.take_back(card("2S"), led="H")
    assert not bo.declared_void("H")


def test_taking_back_a_trump_cancels_that_the_hand_holds_only_trumps() -> None:
    _, bo = hands()
    bo.deal_unseen(6)
    trumps = HeldBack(frozenset({card("2S"), card("3S")}), text("Trumps are not broken."))
    bo.lay(card("2S"), held_back=trumps)
    bo.lay(card("3S"), held_back=trumps)
    bo.take_back(card("3S"))
    assert bo.show(card("9D"))
    assert not bo.show(card("8D"))


def test_laying_away_unseen_forgets_all_but_exposed_cards() -> None:
    ann, bo = hands()
    bo.deal_unseen(6)
    bo.deal([card("2S"), card("3S"), card("4S")])
    bo.expose(card("2S"))
    bo.lay_away(None, 3, LAID_AWAY)
    assert bo.size == 6 and not bo.known
    ann.deal_unseen(6)
    assert not ann.may_hold(card("2S"))  # it is exposed in front of Bo
    assert ann.may_hold(card("3S")) and bo.may_hold(card("3S"))


def test_laying_away_by_name_keeps_a_known_hand_known() -> None:
    ann, bo = hands()
    ann.deal([card("2S"), card("3S")])
    ann.lay_away([card("2S")], 1, LAID_AWAY)
    assert ann.complete and list(ann.known) == [card("3S")]
    bo.deal_unseen(1)
    assert not bo.may_hold(card("2S"))


def test_unaccounted_cards() -> None:
    pack = Pack(STANDARD_DECK, 2)
    pack.hands[0].deal([card("AS")])
    pack.put(card("2C"))
    assert pack.place[card("2C")] is SEEN
    left = list(pack.unaccounted())
    assert len(left) == 50 and card("AS") not in left and card("2C") not in left


def test_a_card_that_belongs_to_another_suit_in_play() -> None:
    pack = Pack(STANDARD_DECK, 2)
    ann, bo = pack.hands
    pack.rank(Ranking("H", [card("JH"), card("JD"), card("AH")], ["A", "K", "Q", "J", "10", "9"]))
    ann.deal([card("JD"), card("9S")])
    assert ann.must_follow("H") and ann.surely_void("D")
    bo.deal_unseen(5)
    assert not bo.lay(card("JH"), led="D") and [*bo.voids] == ["D"]
    assert not bo.lay(card("9C"), led="H") and [*bo.voids] == ["D", "H"]
    assert bo.show(card("JD"))
    assert bo.voids == ("D",)


def test_hidden_cards_are_dealt_as_what_was_declared_allows() -> None:
    pack = Pack(STANDARD_DECK, 4)
    ann, *others = pack.hands
    ann.deal([each for each in STANDARD_DECK if each.suit == "S"])
    for hand in others:
        hand.deal_unseen(13)
    bo, cy, dee = others
    bo.lay(card("2C"), led="H")  # so Cy and Dee share the hearts
    cy.lay(card("3C"), led="D")
    dee.show(shown := card("AD"))
    drawn = [random_hands(pack, Random(seed)) for seed in range(200)]
    for found in drawn:
        assert {seat: len(cards) for seat, cards in found.items()} == {1: 12, 2: 12, 3: 13}
        assert {*chain(*found.values())} == {each for each in STANDARD_DECK if each not in pack.place or each == shown}
        assert not any(each.suit == "H" for each in found[1]) and not any(each.suit == "D" for each in found[2])
        assert shown in found[3]
    assert drawn[0] != drawn[1]
    share = sum(card("KD") in found[1] for found in drawn)
    assert 80 < share < 160  # Bo can hold diamonds and clubs only


def test_hidden_cards_are_dealt_although_a_player_has_revoked() -> None:
    spades = card("AS"), card("KS")
    pack = Pack(Deck([*(each for each in STANDARD_DECK if each.suit == "H"), *spades]), 2)
    for hand, played in zip(pack.hands, spades, strict=True):
        hand.deal_unseen(6)
        hand.lay(played, led="H")
    assert {seat: len(cards) for seat, cards in random_hands(pack, Random(1)).items()} == {0: 5, 1: 5}
