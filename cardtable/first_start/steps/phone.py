"""A phone that goes on with the first start: the director's PIN is set, and the phone opens the table's address."""

from __future__ import annotations

from typing import ClassVar, Final

from cardtable.first_start.question import Entry, Question, doubtful, fine
from cardtable.first_start.step import Site, Step, Unfit
from engine.texts import text

_PIN: Final = "pin:"


class PhoneStep(Step):
    """Asks for a PIN; then shows the address, as a QR code too."""

    name: ClassVar[str] = "phone"

    def __init__(self) -> None:
        self._set = False

    def begin(self, site: Site) -> None:
        """Begin with the PIN."""
        self._set = False

    def question(self, site: Site) -> Question:
        """Return the question for the PIN, or the address."""
        if not self._set:
            return Question(
                text("A phone"),
                text(
                    "A phone can go on from here, and direct the table later. Choose a PIN of 4 to 12 digits for it; "
                    "without a phone, continue."
                ),
                entry=Entry(text("PIN"), "digits", _PIN),
                forward=text("Continue without a phone"),
            )
        address = site.phone_address()
        if address is None:
            found = [doubtful(text("this table is in no network"), text("go back to Wi-Fi, or continue here"))]
            asked = text("The PIN is stored. Phones need a network.")
            return Question(text("A phone"), asked, found, forward=text("Continue"), inner=True)
        return Question(
            text("A phone"),
            text("Open {address} on the phone, enter the PIN, and go on there or here.", address=address),
            [fine(text("the PIN is stored"))],
            code=address,
            code_label=text("opens the table on a phone"),
            forward=text("Continue"),
            inner=True,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take the PIN."""
        if not value.startswith(_PIN) or self._set:
            raise Unfit(text("There is nothing to choose here."))
        site.set_pin(value.removeprefix(_PIN))
        self._set = True
        return False

    def back(self) -> bool:
        """Return to the PIN."""
        within, self._set = self._set, False
        return within
