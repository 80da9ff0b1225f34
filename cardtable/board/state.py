"""What the board shows of a game, as JSON; its shape is in `cardtable.board.screen_game`.

Only what everybody at the table may know; texts are for people, names and numbers for programs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from cardtable.board.history_lines import HistoryLines, scored
from cardtable.board.screen_game import CountedHandState, GameScreen, LastPoints, WordChoice
from cardtable.board.screen_parts import common
from cardtable.board.shown_cards import cards_by_suit, counted_lines, lying_cards, pictured_cards
from cardtable.board.snapshot import Snapshot
from cardtable.board.spoken import said_of_facts, said_of_table
from cardtable.languages import translate_prompts
from engine.texts import in_language
from engine.views import CountedHand, View
from hardware.speech import said_of_prompt
from hardware.texts import Translate, as_written

HISTORY: Final = 12
"""How many of the last actions the board shows."""


def state_of(
    shown: Snapshot,
    title: str,
    translate: Translate = as_written,
    cameras: Collection[str] = (),
    history: HistoryLines | None = None,
) -> GameScreen:
    """The state of a game. `title`: the game's name for people. `cameras`: the sources that have pictures.

    `history`: keeps the lines of the history from one state to the next.

    Sentences and facts (name, name for people, value) are translated here; the names that programs use too (words,
    reasons, zones) by the page.
    """
    view = shown.view
    sides = max(len(view.scores), 1)

    def translated(trouble: str | None) -> str | None:
        return None if trouble is None else in_language(trouble, translate)

    return {
        "screen": "game",
        **common(translated(shown.trouble)),
        "between_hands": shown.between_hands,
        "remembered": [],
        "n": shown.n,
        "game": view.game,
        "title": title,
        "phase": view.phase,
        "turn": view.turn,
        "actor": view.turn if view.actor is None else view.actor,
        "target": view.target,
        "sides": sides,
        "trump": view.trump,
        "dealer_does": in_language(view.dealer_does, translate),
        "over": view.over,
        "winners": list(view.winners),
        "seats": [
            {
                "name": name,
                "score": view.scores[seat % sides] if view.scores else 0,
                "won": _won(view, seat, sides),
                "bid": view.bids[seat] if view.bids else None,
                "cards": view.hands[seat].size if seat < len(view.hands) else 0,
                "dealer": seat == view.dealer,
                "words": _words(view, seat, translate),
            }
            for seat, name in enumerate(view.players)
        ],
        "words": [
            {"word": word.name, "label": word.label, "group": word.group, "needs": list(word.keys)}
            for word in view.vocabulary.values()
        ],
        "auction": [{"seat": seat, "word": word} for seat, word in view.calls],
        "pegs": None if view.pegboard is None else _pegs(shown),
        "peg_lines": list(view.pegboard or ()),
        "counts": [_count(hand, shown, translate) for hand in view.counted],
        "lying": lying_cards(shown),
        "seen": pictured_cards(shown, cameras),
        "deck": cards_by_suit(view.deck),
        "restoring": shown.restoring,
        "facts": [
            [name, in_language(name, translate), in_language(value, translate), view.fact_display(name)]
            for name, value in view.facts
        ],
        "prompts": [
            {
                "kind": prompt.kind,
                "seat": prompt.seat,
                "text": prompt.text,
                "urgent": prompt.urgent,
                "spoken": said_of_prompt(view, prompt, translate),
            }
            for prompt in translate_prompts(shown.prompts, translate)
        ],
        "points": _points(shown),
        "history": (history or HistoryLines(translate)).of(shown, HISTORY),
        "standing": said_of_table(view, translate),
        "spoken_facts": said_of_facts(view, translate),
        "sources": [
            {
                "name": source.name,
                "camera": source.name in cameras,
                "trouble": translated(source.trouble),
                "works": source.works,
            }
            for source in shown.sources
        ],
    }


def _words(view: View, seat: int, translate: Translate) -> list[WordChoice]:
    """The words that `seat` may say; an accusation only if there is a seat that can be accused."""
    words = [_word(view, seat, word, translate) for word in view.words[seat]] if seat < len(view.words) else []
    return [word for word in words if word.get("against") != []]


def _word(view: View, seat: int, word: str, translate: Translate) -> WordChoice:
    """A word that `seat` may say: what the page must ask for besides, with the choices, and the word's own texts."""
    declared = view.vocabulary.get(word)
    keys = declared.keys if declared else ()
    out: WordChoice = {"word": word, "needs": list(keys)}
    if declared:
        out["label"], out["question"], out["group"] = declared.label, declared.question, declared.group
    if "against" in keys:
        costs = view.accused.get(word) or dict.fromkeys(range(len(view.players)), "")
        sides = max(len(view.scores), 1)
        others = [other for other in costs if other % sides != seat % sides]  # not the seat, nor its partner
        cards = {other: [str(card) for card in view.choices(word, other)] for other in others}
        out["against"] = [other for other in others if cards[other] or "card" not in keys]
        out["claims"] = [
            {"seat": other, "cards": cards[other], "costs": in_language(costs[other], translate)}
            for other in out["against"]
        ]
    if "card" in keys:
        out["cards"] = [str(card) for card in view.choices(word)]
    return out


def _pegs(shown: Snapshot) -> list[list[int]]:
    """Return, for each side, where its two pegs are: its score before it scored last, and its score."""
    before = [0] * len(shown.view.scores)
    standing = [0] * len(before)
    for done in shown.history:
        for side, score in enumerate(done.scores):
            if score != standing[side]:
                before[side], standing[side] = standing[side], score
    return [[behind, score] for behind, score in zip(before, shown.view.scores, strict=True)]


def _count(hand: CountedHand, shown: Snapshot, translate: Translate) -> CountedHandState:
    """A hand that has been counted, with the cards of each score."""
    return {
        "seat": hand.seat,
        "name": in_language(hand.name, translate),
        "cards": [str(card) for card in hand.cards],
        "starter": str(hand.starter) if hand.starter else None,
        "lines": counted_lines(hand, shown.history),
        "value": hand.total,
        "sets": [
            {"points": found.points, "for": found.reason, "cards": [str(card) for card in found.cards]}
            for found in hand.combinations
        ],
    }


def _points(shown: Snapshot) -> LastPoints:
    """What was scored last; `fresh`: by the very last action."""
    last = next((done for done in reversed(shown.history) if done.points), None)
    return {"fresh": last is not None and last is shown.history[-1], "list": scored(last) if last else []}


def _won(view: View, seat: int, sides: int) -> int | None:
    """Return the tricks of the side of `seat`; where each player has bid, only its own."""
    if not view.won:
        return None
    return view.won[seat] if view.bids else sum(view.won[seat % sides :: sides])
