"""The menus of buttons and encoders.

With an encoder, turning moves through the entries and a press takes one; a long press goes back. With a plain button, a
short press moves and a long press takes. The first press or turn at a seat opens its menu.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cardtable.evening.equipment import Services
from cardtable.evening.lobby import menu_screen, prompt_of
from cardtable.evening.memory import Evening
from cardtable.evening.menu_pages import NotNow, Opens, Page, Situation, first_page, misfit
from cardtable.evening.playing import Playing
from cardtable.evening.waiting import Waiting
from cardtable.table.messages import HostMessage
from cardtable.web.screens import Menu
from engine.texts import Translate, in_language
from hardware.buttons import Control
from hardware.voice import speakable


@dataclass(frozen=True, slots=True)
class OpenMenu:
    """A menu that is open at a seat: its page, and the chosen entry."""

    seat: int
    page: Opens = first_page
    chosen: int = 0


class Menus:
    """The menu that is open, at one seat at a time. `situation` returns the present situation."""

    def __init__(self, situation: Callable[[], Situation]) -> None:
        self._situation = situation
        self.open: OpenMenu | None = None
        """The open menu, which can be kept and restored after a change."""

    @property
    def is_sight(self) -> bool:
        """Whether the open page says what the table sees."""
        return self.open is not None and self._page(self.open).live

    def close(self) -> None:
        """Close the menu: the screen has changed."""
        self.open = None

    def ask_again(self) -> None:
        """Ask whether later actions, which do not fit the chosen correction, may be taken back."""
        if self.open is not None:
            self.open = replace(self.open, page=misfit, chosen=0)

    def control(self, control: Control) -> HostMessage | None:
        """Process a press or turn at a seat; return the message that was chosen with it."""
        if self.open is None or self.open.seat != control.seat:
            self.open = OpenMenu(control.seat)
            return None
        page = self._page(self.open)
        if control.kind == "turn" or (control.kind == "short" and not control.encoder):
            step = control.step if control.kind == "turn" else 1
            chosen = (self.open.chosen + step) % len(page.entries)
            if page.live and chosen == len(page.entries) - 1:
                chosen = -1  # “Back” stays chosen, although there may soon be more entries, or fewer
            self.open = replace(self.open, chosen=chosen)
            return None
        if control.encoder and control.kind == "long":
            self.open = None if self.open.page is first_page else OpenMenu(control.seat)
            return None
        if control.kind == "double":
            return None
        entry = page.entries[self.open.chosen % len(page.entries)]
        if entry.opens is not None:
            self.open = replace(self.open, page=entry.opens, chosen=self.open.chosen if entry.stays else 0)
        elif entry.message is None:
            self.open = None
        else:
            self.open = replace(self.open, page=page.then or first_page, chosen=self.open.chosen if page.stays else 0)
        return entry.message

    def shown(self, translate: Translate) -> Menu | None:
        """Return the open menu for the board and the displays; None if there is none."""
        if self.open is None:
            return None
        page = self._page(self.open)
        name = in_language(page.title, translate)
        labels = [in_language(entry.label, translate) for entry in page.entries]
        chosen = self.open.chosen % len(labels)
        spoken = speakable(f"{name} {labels[chosen]}", translate)
        return {"seat": self.open.seat, "title": name, "entries": labels, "chosen": chosen, "spoken": spoken}

    def _page(self, menu: OpenMenu) -> Page:
        """Return the page that is open, or the first one if that does not exist now."""
        situation = self._situation()
        try:
            return menu.page(situation)
        except NotNow:
            return first_page(situation)


def announce_on_hardware(
    services: Services, activity: Waiting | Playing | None, evening: Evening, menu: Menu | None, asked: str | None
) -> None:
    """Show and speak the open `menu`, or else the question that is `asked`, or else what to do next."""
    outputs = services.outputs
    if outputs is None:
        return
    if evening.screen == "game":
        outputs.choose(menu is not None)
    prompt = in_language(asked or prompt_of(evening.screen, evening.lobby), services.translate)
    if isinstance(activity, Playing) and menu is None and asked is None:
        activity.show_again()
        outputs.announce(prompt, then=True)
        return
    outputs.announce(menu["spoken"] if menu else prompt)
    outputs.show_screen(lambda seat: menu_screen(menu, prompt, seat))
