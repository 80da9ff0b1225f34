"""The options of a game: names, types and allowed values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from engine.errors import HeaderError
from engine.texts import either, text


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game. Its values have the type of `default`.

    `label`: its name for people. `about`: what it does, for people. `least`: the smallest number allowed. `choices`:
    the texts allowed.
    """

    name: str
    default: bool | int | str
    about: str
    least: int | None = None
    choices: tuple[str, ...] = ()
    label: str = ""

    @classmethod
    def choice(cls, name: str, choices: tuple[str, ...], about: str, label: str) -> Self:
        """Return an option whose value is one of `choices`, of which the first is the default."""
        return cls(name, choices[0], about, None, choices, label)

    def check(self, value: object) -> None:
        """Raise `HeaderError` unless `value` is allowed for this option."""
        if type(value) is not type(self.default):
            raise self._wrong(value)
        if isinstance(value, int) and self.least is not None and value < self.least:
            raise self._wrong(value)
        if self.choices and value not in self.choices:
            raise self._wrong(value)

    def _wrong(self, value: object) -> HeaderError:
        return HeaderError(
            text("option {name!r} is {kind}, not {value!r}", name=self.name, kind=self._kind(), value=value),
            f"options.{self.name}",
        )

    def _kind(self) -> str:
        if isinstance(self.default, bool):
            return text("true or false")
        if isinstance(self.default, int):
            if self.least is None:
                return text("a whole number")
            return text("a whole number from {least}", least=self.least)
        return either([repr(choice) for choice in self.choices])
