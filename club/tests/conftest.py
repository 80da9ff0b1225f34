"""Fixtures shared by the tests of the club."""

from __future__ import annotations

from tests.cardtable.conftest import browser as browser
