"""Outcomes of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._errors import CLASSES, ExecutionError


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run, with its output."""

    result: Any
    stdout: str
    stderr: str
    exit_code: int
    error_class: str | None
    error: Mapping[str, Any] | None
    duration_ms: float
    page_html: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Outcome:
        """Converts the answer of `exec`."""
        return cls(
            result=raw["result"],
            stdout=raw["stdout"],
            stderr=raw["stderr"],
            exit_code=raw["exitCode"],
            error_class=raw["errorClass"],
            error=raw["error"],
            duration_ms=raw["executionTimeMs"],
            page_html=raw.get("pageHtml"),
            raw=raw,
        )

    @property
    def ok(self) -> bool:
        """True if the run did not fail and its exit code is 0."""
        return self.error_class is None and self.exit_code == 0

    def check(self) -> Outcome:
        """Raises the error of a run that failed; returns the outcome of one that did not."""
        if self.error_class is not None:
            raise CLASSES.get(self.error_class, ExecutionError)(self)
        return self
