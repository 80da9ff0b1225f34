"""The options of a game: their names, their kinds, and which values they may have."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import HeaderError


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game. The kind of `default` is the kind of its values.

    `least`: the smallest number allowed. `choices`: the texts allowed.
    """

    name: str
    default: bool | int | str
    about: str
    least: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> None:
        """Raise `HeaderError` where `value` is no value for this option."""
        if type(value) is not type(self.default):
            raise self._wrong(value)
        if isinstance(value, int) and self.least is not None and value < self.least:
            raise self._wrong(value)
        if self.choices and value not in self.choices:
            raise self._wrong(value)

    def _wrong(self, value: object) -> HeaderError:
        return HeaderError(f"option {self.name!r} is {self._kind()}, not {value!r}", f"options.{self.name}")

    def _kind(self) -> str:
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return "a whole number" if self.least is None else f"a whole number from {self.least}"
        return " or ".join(repr(choice) for choice in self.choices)
