"""What the board passes on: words, messages of the evening and corrections, each with who sent it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from cardtable.board.access.sender import Sender
from cardtable.board.correction_messages import CorrectionMessage
from cardtable.board.messages import EveningMessage
from cardtable.board.screens import Refusal
from engine.observations import Said, UndoAsked

Say = Callable[[Said | UndoAsked, Sender], None]
"""Takes what was entered on a page, and who entered it."""
Picture = Callable[[str], bytes | None]
Manage = Callable[[EveningMessage, Sender], "Future[str | None]"]
"""Takes a message for the evening, and who sent it; the result is None once it is done, or the text that refuses it."""

Correct = Callable[[CorrectionMessage, Sender], "Future[Refusal | None]"]
"""Takes a correction of the game, and who sent it; the result is None once it is made, or why it was not."""
