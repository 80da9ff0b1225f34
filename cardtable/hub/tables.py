"""The tables of the hub's database. Times are in seconds since 1970."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, Text, UniqueConstraint

METADATA: Final = MetaData()

LINE: Final = Table(
    "line",
    METADATA,
    Column("table", String(40), primary_key=True),
    Column("game", String(60), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("received", Float(53), nullable=False),
)
"""Every line of every stream; it is never changed. `time`: of the table's clock. `received`: of the hub's."""

CURSOR: Final = Table(
    "cursor",
    METADATA,
    Column("table", String(40), primary_key=True),
    Column("game", String(60), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("changed", Float(53), nullable=False),
)
"""For each stream, how many lines there are; stored in the transaction that stores the lines."""

RESULT: Final = Table(
    "result",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table", String(40), nullable=False),
    Column("game", String(60), nullable=False),
    Column("lines", Integer, nullable=False),
    Column("header", Text, nullable=False),
    Column("started", Float(53), nullable=False),
    Column("ended", Float(53)),
    Column("over", Boolean, nullable=False),
    Column("value", Text),
    UniqueConstraint("table", "game"),
)
"""What the first `lines` lines of a game say: it can be made from them again at any time."""

TABLE: Final = Table(
    "card_table",
    METADATA,
    Column("name", String(40), primary_key=True),
    Column("online", Boolean, nullable=False),
    Column("seen", Float(53), nullable=False),
)

ASSIGNMENT: Final = Table(
    "assignment",
    METADATA,
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("table", String(40), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", String(40), nullable=False),
    Column("ready", Float(53)),
)
"""Who sits where in a round."""

EVENT: Final = Table(
    "tournament_event",
    METADATA,
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("time", Float(53), nullable=False),
    Column("event", Text, nullable=False),
)
"""What has happened in the tournaments, in order; each event is JSON and is never changed."""

ENROLMENT: Final = Table(
    "enrolment",
    METADATA,
    Column("table", String(40), primary_key=True),
    Column("secret", String(40), nullable=False),
    Column("expires", Float(53), nullable=False),
)
"""Codes with which tables may enrol."""
