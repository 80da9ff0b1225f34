"""Repeat what an action needs if it is missing from the record."""

from __future__ import annotations

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Zone
from engine.referee.observed_cards import BEFORE_HAND
from tests.cardtable.people.record import plain
from tests.cardtable.people.table_top import TableTop


class Doing(TableTop):
    """People who can repeat an action."""

    def clear_up(self) -> None:
        """Take away forgotten cards, except a pot that stays."""
        stays = [lying.card for lying in self.table.lying if lying.firm or lying.card.suit not in "SHDC"]
        if forgotten := [placed for placed in self.lying if placed.face is not None and placed.face not in stays]:
            self.lift(*forgotten)
            self.time += 5

    def perform(self, action: Action) -> None:
        """Repeat `action`."""
        self.log.append(f"again: {action.to_json()}")
        seat = action.seat if isinstance(action.seat, int) else None
        zones = self.table._kind.zones
        match action.do:
            case "deal":
                assert seat is not None
                if self.table.phase in BEFORE_HAND:
                    self.clear_up()
                self.observe(self.readers.swipe(self.time, seat, action.cards or ()))
            case "discard":
                assert seat is not None
                self.observe(self.readers.swipe(self.time, seat, action.cards or ()))
            case "cut" | "play":
                self._lay_again(action.card, Zone("play", seat))
            case "turn" | "give":
                if self.table.phase in BEFORE_HAND:
                    self.clear_up()
                if action.do == "give":
                    self.lift(*[p for p in self.lying if p.zone == Zone("turn-up")])
                self._lay_again(action.card, Zone("turn-up") if "turn-up" in zones else Zone("table"))
            case "expose":
                self._lay_again(action.card, Zone("show", seat))
            case "say":
                if action.word == "call" and action.card:
                    self._expose_again(action.card)
                for old in [
                    p for p in self.lying if p.face == ActionCard(action.word or "") and p.zone == Zone("say", seat)
                ]:
                    self.lift(old)
                laid = [self.lay(ActionCard(action.word or ""), Zone("say", seat))]
                if action.against is not None:
                    laid.append(self.lay(action.card, Zone("show", action.against)))
                self.lift(*[p for p in laid if p in self.lying])
            case "take":
                mine = [p for p in self.lying if p.zone and p.zone.name in ("play", "table")]
                done = plain(self.truth)
                done = done[: len(done) - 1 - done[::-1].index(action)]
                last = next(a.card for a in reversed(done) if a.do == "play")
                for entry in self.table.lying:
                    if entry.card not in (*(action.cards or ()), last) and not self.at(entry.card, anywhere=True):
                        self.lay(entry.card, entry.zone)
                self.lift(*[p for p in mine if p.face in (*(action.cards or ()), last)])
            case "bid" | "show":
                zone = Zone("crib") if seat is None else Zone(action.do, seat)
                wanted = list(action.cards or ())
                self.take(*[p for p in self.lying if p.zone == zone and p.face is not None and p.seen is None])
                there = [p.face for p in self.lying if p.zone == zone and p.face is not None]
                earlier = self._bid_before(action) if action.do == "bid" else []
                for card in earlier:
                    if card in there:
                        there.remove(card)
                for card in wanted:
                    if card in there:
                        there.remove(card)
                    else:
                        self.lay(card, zone)
            case "withdraw":
                pass  # the next card laid shows it
            case _:
                self.check(False, f"no way to do {action}")

    def _bid_before(self, action: Action) -> list[Card]:
        """Return the cards that the seat bid in this round before `action`."""
        cards: list[Card] = []
        for each in plain(self.truth):
            if each.do == "turn":
                cards = []
            elif each is action:
                break
            elif each.do == "bid" and each.seat == action.seat:
                cards += each.cards or ()
        return cards

    def _expose_again(self, card: Card) -> None:
        """Let the seat on turn expose the card that is called, if the table does not know that it was exposed."""
        if not any(entry.card == card and entry.zone.name == "show" for entry in self.table.lying):
            self._lay_again(card, Zone("show", self.table.turn))

    def _lay_again(self, card: Card | None, zone: Zone) -> None:
        placed = self.at(card, anywhere=True)
        if placed:
            twice = sum(each.do in ("turn", "give") and each.card == card for each in self.truth) > 1
            self.check(placed.zone != zone or twice, f"{card} lies {zone} and is not counted, and no prompt says why")
            self.lift(placed)
            self.time += 5
        self.lay(card, zone)
