"""Definitions of tools for language models, as plain dictionaries.

`definitions("openai")` and `definitions("anthropic")` offer a sandbox to a model; `call` carries out
what the model asks for. No package of a vendor is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from ._errors import PermissionDenied, RunError
from ._sandbox import Sandbox

Format = Literal["openai", "anthropic"]

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "run_javascript",
        "description": (
            "Runs the body of an async JavaScript function in a sandbox without network or files "
            "of the host. Use return for the result; it is JSON."
        ),
        "parameters": {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "body of the function"}},
            "required": ["code"],
            "additionalProperties": False,
        },
    },
    {
        "name": "run_shell",
        "description": "Runs a bash command in the same sandbox. Files stay between calls.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
            "additionalProperties": False,
        },
    },
)


def definitions(format: Format) -> list[dict[str, Any]]:
    """Returns the tools in the format of a vendor."""
    return [definition(tool, format) for tool in TOOLS]


def definition(tool: Mapping[str, Any], format: Format) -> dict[str, Any]:
    """Converts one tool, or a function of `Sandbox.functions()`, to the format of a vendor."""
    name, description = tool["name"], tool.get("description", "")
    schema = tool.get("parameters") or {"type": "object", "properties": {}}
    if format == "anthropic":
        return {"name": name, "description": description, "input_schema": schema}
    inner = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": inner}


def call(sandbox: Sandbox, name: str, arguments: str | Mapping[str, Any]) -> str:
    """Carries out a call of a model and returns text for it, also if the run failed.

    A denial names the capability, so that the model can say what it lacks; only a person grants.
    """
    given = json.loads(arguments) if isinstance(arguments, str) else arguments
    try:
        match name:
            case "run_javascript":
                return json.dumps(sandbox.run(given["code"]))
            case "run_shell":
                outcome = sandbox.shell(given["command"]).check()
                ended = f"\n[exit code {outcome.exit_code}]" if outcome.exit_code else ""
                return outcome.stdout + outcome.stderr + ended
            case _:
                return f"error: there is no tool {name!r}"
    except PermissionDenied as error:
        return f"error: {error}\nneeds {error.required_permission}, which a person can grant as {error.request_id}"
    except RunError as error:
        return f"error: {error}"
