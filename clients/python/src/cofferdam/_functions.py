"""Functions that Python lends to tools, with schemas made from type hints."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, overload

SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
    inspect.Parameter.empty: {},
}


def schema_of(hint: Any) -> dict[str, Any]:
    """Returns the JSON Schema of a type hint."""
    if hint in SIMPLE:
        return dict(SIMPLE[hint])
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        described = schema_of(arguments[0])
        texts = [note for note in arguments[1:] if isinstance(note, str)]
        return {**described, "description": texts[0]} if texts else described
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(argument) for argument in arguments]}
    if origin in (list, Sequence, typing.get_origin(Sequence[int])):
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (dict, Mapping, typing.get_origin(Mapping[str, int])):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    if typing.is_typeddict(hint):
        fields = typing.get_type_hints(hint)
        return {
            "type": "object",
            "properties": {name: schema_of(field) for name, field in fields.items()},
            "required": sorted(hint.__required_keys__),
        }
    raise TypeError(f"{hint!r}: no JSON Schema for this type; pass parameters= yourself")


class Function:
    """A function that tools may call as `btcp.functions.NAME({…})`."""

    def __init__(
        self,
        body: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        grant: bool = True,
    ) -> None:
        self.body = body
        self.name = name or body.__name__
        self.description = description if description is not None else summary(body)
        self.parameters = dict(parameters) if parameters is not None else parameters_of(body)
        # True if the tools of the sandbox may call the function without being asked about.
        self.grant = grant

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.body(*args, **kwargs)

    @property
    def capability(self) -> str:
        """The capability that lets a tool call the function."""
        return f"function:call:{self.name}"


def summary(body: Callable[..., Any]) -> str:
    """Returns the first paragraph of the docstring."""
    return " ".join((inspect.getdoc(body) or "").split("\n\n")[0].split())


def parameters_of(body: Callable[..., Any]) -> dict[str, Any]:
    """Returns the JSON Schema of the arguments, as one object."""
    hints = typing.get_type_hints(body, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(body).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{body.__name__}: {name} cannot be given by name")
        properties[name] = schema_of(hints.get(name, parameter.annotation))
        if parameter.default is parameter.empty:
            required.append(name)
        elif parameter.default is not None:
            properties[name]["default"] = parameter.default
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


@overload
def function(body: Callable[..., Any], /) -> Function: ...
@overload
def function(
    *,
    name: str | None = ...,
    description: str | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    grant: bool = ...,
) -> Callable[[Callable[..., Any]], Function]: ...


def function(body: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Makes a function that can be lent: `Sandbox(functions=[…])`. Schemas follow type hints.

    With `grant=False` a tool needs a grant, or asks the approver, before it can call the function.
    """
    if body is not None:
        return Function(body)
    return lambda body: Function(body, **options)
