"""Questions that a run asks, and the answers of an approver."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union

Span = Literal["once", "session", "always"]


@dataclass(frozen=True)
class Choice:
    """A capability that would satisfy a wish, with its risk."""

    capability: str
    words: str
    risk: str
    reason: str


@dataclass(frozen=True)
class Wish:
    """One capability that a question asks for. Later choices are wider."""

    wanted: str
    choices: tuple[Choice, ...]
    words: str = ""
    """The action, such as `rename /data/a to /data/b`."""
    details: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further facts, such as the query of an address or a command line."""
    on_host: str | None = None
    """The real file behind the path, and what happens to it."""


@dataclass(frozen=True)
class Question:
    """A run waits for a decision. Texts have hidden characters escaped."""

    id: str
    tool: str
    sandbox: str
    run: str
    wishes: tuple[Wish, ...]
    at: str | None = None
    """File and line of the tool that asks, as its engine reports it."""

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Question:
        """Converts a `question` notification."""
        wishes = tuple(
            Wish(
                wish["wanted"],
                tuple(Choice(**choice) for choice in wish["choices"]),
                wish.get("words", ""),
                wish.get("details", {}),
                wish.get("onHost"),
            )
            for wish in params["wishes"]
        )
        return cls(
            params["question"], params["tool"], params["sandbox"], params["run"], wishes, params.get("at")
        )

    @property
    def words(self) -> str:
        """The wishes in words, such as `read the file /data/a.txt`."""
        return "; ".join(wish.choices[0].words for wish in self.wishes)


@dataclass(frozen=True)
class Allow:
    """Grants every wish of a question, or one wider capability for its only wish."""

    span: Span = "once"
    capability: str | None = None


@dataclass(frozen=True)
class Deny:
    """Grants nothing."""


ALLOW = Allow()
DENY = Deny()

Decision = Union[Allow, Deny, bool]
Approver = Callable[[Question], Union[Decision, Awaitable[Decision]]]


def answer_params(question: Question, decision: Decision) -> dict[str, Any]:
    """Returns the parameters of `question.answer`. Anything but a clear yes is a no."""
    if decision is True:
        decision = ALLOW
    if not isinstance(decision, Allow):
        return {"question": question.id, "allow": False}
    if decision.capability is None:
        return {"question": question.id, "allow": True, "span": decision.span}
    decided = {"capability": decision.capability, "span": decision.span}
    return {"question": question.id, "decisions": [decided]}
