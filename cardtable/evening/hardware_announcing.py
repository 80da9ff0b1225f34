"""What the small displays and the voice of the table show and say besides the game: menus, prompts and questions."""

from __future__ import annotations

from cardtable.board.screen_parts import Menu
from cardtable.evening.lobby_state import menu_screen, prompt_of
from cardtable.evening.memory import Evening
from cardtable.evening.playing import Playing
from cardtable.evening.services import Services
from cardtable.evening.waiting import Waiting
from engine.texts import in_language


def announce_on_hardware(
    services: Services, stage: Waiting | Playing | None, evening: Evening, menu: Menu | None, asked: str | None
) -> None:
    """Show and speak the open `menu`, or what is `asked`, or else what to do next outside of a game."""
    outputs = services.outputs
    if outputs is None:
        return
    if evening.screen == "game":
        outputs.choose(menu is not None)
    prompt = in_language(asked or prompt_of(evening.screen, evening.lobby), services.translate)
    if isinstance(stage, Playing) and menu is None and asked is None:
        stage.session.show_again()
        outputs.announce(prompt, then=True)
        return
    outputs.announce(menu["spoken"] if menu else prompt)
    outputs.show_screen(lambda seat: menu_screen(menu, prompt, seat))
