"""Finds the program that the client starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ._errors import ProgramNotFound


def find_program() -> str:
    """Returns the path of the program: in the wheel, on PATH, or named by COFFERDAM_PROGRAM."""
    bundled = Path(__file__).parent / "bin" / "cofferdam"
    if bundled.exists():
        return str(bundled)
    found = shutil.which("cofferdam")
    if found is not None:
        return found
    named = os.environ.get("COFFERDAM_PROGRAM")
    if named:
        return named
    raise ProgramNotFound(
        "the program cofferdam is neither in this package nor on PATH; "
        "set COFFERDAM_PROGRAM to its path"
    )
