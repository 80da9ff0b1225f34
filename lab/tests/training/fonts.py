"""A mark for tests that draw letters."""

from __future__ import annotations

import pytest

from lab.training.glyphs import letter_fonts


def _has_fonts() -> bool:
    try:
        return bool(letter_fonts())
    except SystemExit:
        return False


needs_fonts = pytest.mark.skipif(not _has_fonts(), reason="no fonts to set indices in")
