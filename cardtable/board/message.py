"""What every message of a page has in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Seat = Annotated[int, Field(ge=0, le=15)]
CardName = Annotated[str, Field(max_length=16)]


class Message(BaseModel):
    """A message of a page. The key `do` says which one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)
