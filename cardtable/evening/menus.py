"""The menus of buttons and encoders.

With an encoder, turning moves through the entries and a press takes one; a long press goes back. With a plain button, a
short press moves and a long press takes. The first press or turn at a seat opens its menu.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from cardtable.evening.equipment import Services
from cardtable.evening.lobby import menu_screen, prompt_of
from cardtable.evening.memory import Evening
from cardtable.evening.menu_pages import MISFIT, NAMED, OPTION, RENAMING, SIGHT, SPELLING, Entry, Situation, page_of
from cardtable.evening.playing import Playing
from cardtable.evening.waiting import Waiting
from cardtable.table.messages import HostMessage
from cardtable.web.screens import Menu
from engine.texts import Translate, in_language
from hardware.buttons import Control
from hardware.voice import speakable

_STAYING: Final = ("players", "known", "seats")
"""The pages that stay open after a choice, for the next one."""


@dataclass(frozen=True, slots=True)
class _Open:
    seat: int
    page: str = ""
    chosen: int = 0


class Menus:
    """The menu that is open, at one seat at a time. `situation` returns the present situation."""

    def __init__(self, situation: Callable[[], Situation]) -> None:
        self._situation = situation
        self._open: _Open | None = None

    @property
    def is_open(self) -> bool:
        """Whether a menu is open."""
        return self._open is not None

    @property
    def is_sight(self) -> bool:
        """Whether the open page says what the table sees."""
        return self._open is not None and self._open.page == SIGHT

    @property
    def state(self) -> _Open | None:
        """The open seat, page and entry, which can be restored after a change."""
        return self._open

    @state.setter
    def state(self, state: _Open | None) -> None:
        self._open = state

    def close(self) -> None:
        """Close the menu: the screen has changed."""
        self._open = None

    def ask_again(self) -> None:
        """Ask whether later actions, which do not fit the chosen correction, may be taken back."""
        if self._open is not None:
            self._open = replace(self._open, page=MISFIT, chosen=0)

    def control(self, control: Control) -> HostMessage | None:
        """Process a press or turn at a seat; return the message that was chosen with it."""
        if self._open is None or self._open.seat != control.seat:
            self._open = _Open(control.seat)
            return None
        entries = self._entries()
        if control.kind == "turn" or (control.kind == "short" and not control.encoder):
            step = control.step if control.kind == "turn" else 1
            chosen = (self._open.chosen + step) % len(entries)
            if self._open.page == SIGHT and chosen == len(entries) - 1:
                chosen = -1  # “Back” stays chosen, although there may soon be more entries, or fewer
            self._open = replace(self._open, chosen=chosen)
            return None
        if control.encoder and control.kind == "long":
            self._open = replace(self._open, page="", chosen=0) if self._open.page else None
            return None
        if control.kind == "double":
            return None
        entry = entries[self._open.chosen % len(entries)]
        if entry.opens is not None:
            spells = any(
                self._open.page.startswith(page) and entry.opens.startswith(page) for page in (SPELLING, RENAMING)
            )
            self._open = replace(self._open, page=entry.opens, chosen=self._open.chosen if spells else 0)
        elif entry.message is None:
            self._open = None
        else:
            self._open = self._after(self._open)
        return entry.message

    @staticmethod
    def _after(before: _Open) -> _Open:
        """Return the menu after a choice. A page stays open if its choice is likely to be repeated."""
        if before.page.startswith(SPELLING):
            return replace(before, page="players", chosen=0)
        if before.page.startswith((NAMED, RENAMING)):
            return replace(before, page="names", chosen=0)
        stays = before.page.startswith(OPTION) or before.page == "seats"
        return replace(
            before, page=before.page if stays or before.page in _STAYING else "", chosen=before.chosen if stays else 0
        )

    def shown(self, translate: Translate) -> Menu | None:
        """Return the open menu for the board and the displays; None if there is none."""
        if self._open is None:
            return None
        title, entries = page_of(self._situation(), self._open.page)
        name, labels = in_language(title, translate), [in_language(entry.label, translate) for entry in entries]
        chosen = self._open.chosen % len(entries)
        spoken = speakable(f"{name} {labels[chosen]}", translate)
        return {"seat": self._open.seat, "title": name, "entries": labels, "chosen": chosen, "spoken": spoken}

    def _entries(self) -> list[Entry]:
        assert self._open is not None
        return page_of(self._situation(), self._open.page)[1]


def announce_on_hardware(
    services: Services, stage: Waiting | Playing | None, evening: Evening, menu: Menu | None, asked: str | None
) -> None:
    """Show and speak the open `menu`, or else the question that is `asked`, or else what to do next."""
    outputs = services.outputs
    if outputs is None:
        return
    if evening.screen == "game":
        outputs.choose(menu is not None)
    prompt = in_language(asked or prompt_of(evening.screen, evening.lobby), services.translate)
    if isinstance(stage, Playing) and menu is None and asked is None:
        stage.show_again()
        outputs.announce(prompt, then=True)
        return
    outputs.announce(menu["spoken"] if menu else prompt)
    outputs.show_screen(lambda seat: menu_screen(menu, prompt, seat))
