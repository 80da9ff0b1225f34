"""The section `[club]` of table.toml: the club of the table, and the club's broker."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from pydantic import AfterValidator, Field, model_validator

from cardtable.config.section import IDENTITY, OWN, SECRET, Section
from engine.texts import text

if TYPE_CHECKING:
    from cardtable_club.broker import Broker

_LONGEST: Final = 40
_PATTERN: Final = rf"^[A-Za-z0-9_.-]{{1,{_LONGEST}}}$"


def _check_topic(name: str) -> str:
    if not re.fullmatch(_PATTERN, name):
        raise ValueError(text("should have 1 to {most} letters from A to Z, digits, “-”, “_” or “.”", most=_LONGEST))
    return name


TopicName = Annotated[str, AfterValidator(_check_topic), Field(json_schema_extra={"pattern": _PATTERN}), IDENTITY]
"""A name in an MQTT topic, where `/`, `+`, `#` and `$` have a meaning."""


class ClubConfig(Section):
    """The club and its broker."""

    about: ClassVar = text("The club that this table belongs to: club/docs/club.md.")

    name: TopicName = Field(
        description=text("the club's name, as in the hub's configuration: letters, digits, `-`, `_`, `.`"),
        examples=["north"],
    )
    table: TopicName = Field(
        description=text("this table's name, which no other table of the club has"), examples=["table-1"]
    )
    host: Annotated[str, OWN] = Field(
        default="127.0.0.1", min_length=1, description=text("the address of the club's MQTT broker")
    )
    port: Annotated[int, OWN] = Field(
        default=1883, ge=1, le=65535, description=text("the broker's port; 8883 with certificates")
    )
    user: Annotated[str | None, OWN] = Field(
        default=None, min_length=1, description=text("the user name at the broker"), examples=["table-1"]
    )
    password: Annotated[str | None, SECRET] = Field(
        default=None, description=text("the password at the broker"), examples=["choose-your-own"]
    )
    home_assistant: bool = Field(
        default=False,
        description=text("whether Home Assistant at the same broker finds this table, and says words by its buttons"),
    )
    ca: Annotated[Path | None, OWN] = Field(
        default=None,
        strict=False,
        description=text("the certificate of the club's authority; with it the connection is encrypted"),
        examples=["club-ca.crt"],
    )
    certificate: Annotated[Path | None, OWN] = Field(
        default=None, strict=False, description=text("this table's certificate"), examples=["table-1.crt"]
    )
    key: Annotated[Path | None, OWN] = Field(
        default=None, strict=False, description=text("the key of this table's certificate"), examples=["table-1.key"]
    )

    @property
    def broker(self) -> Broker:
        """The broker, with the table's credentials."""
        from cardtable_club.broker import Broker

        return Broker(self.host, self.port, self.user, self.password, self.ca, self.certificate, self.key)

    @model_validator(mode="after")
    def _is_consistent(self) -> ClubConfig:
        if (self.certificate is None) != (self.key is None) or (self.certificate is not None and self.ca is None):
            raise ValueError(text("a certificate of the table needs all three: ca, certificate and key in [club]"))
        if self.password is not None and self.user is None:
            raise ValueError(text("a password needs a user: write user in [club], too"))
        return self
