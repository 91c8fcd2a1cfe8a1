"""Methods of `rpc` and their parameters. Written by clients/generate from `cofferdam rpc --schema`. Do not edit."""

from __future__ import annotations

# Required parameters, then optional ones.
METHODS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "exec": (
        frozenset(["kind"]),
        frozenset(["args", "argv", "ask", "boundary", "capabilities", "code", "command", "config", "cwd", "env", "files", "functions", "language", "limits", "mounts", "name", "page", "preopens", "programs", "sandbox", "session", "stdin", "stream", "wasm"]),
    ),
    "sandbox.exec": (
        frozenset(["kind"]),
        frozenset(["args", "argv", "ask", "boundary", "capabilities", "code", "command", "config", "cwd", "env", "files", "functions", "language", "limits", "mounts", "name", "page", "preopens", "programs", "sandbox", "session", "stdin", "stream", "wasm"]),
    ),
    "cancel": (
        frozenset(["id"]),
        frozenset(),
    ),
    "session.close": (
        frozenset(["session"]),
        frozenset(["sandbox"]),
    ),
    "sandbox.create": (
        frozenset(),
        frozenset(["ask", "boundary", "capabilities", "config", "cwd", "env", "files", "functions", "limits", "mounts", "page", "programs", "stdin"]),
    ),
    "sandbox.import": (
        frozenset(["base64"]),
        frozenset(["ask", "boundary", "capabilities", "config", "env", "functions", "limits", "mounts", "page", "programs", "sealed", "stdin"]),
    ),
    "sandbox.write": (
        frozenset(["content", "path", "sandbox"]),
        frozenset(["executable"]),
    ),
    "sandbox.read": (
        frozenset(["path", "sandbox"]),
        frozenset(["encoding", "maxBytes"]),
    ),
    "sandbox.list": (
        frozenset(["path", "sandbox"]),
        frozenset(),
    ),
    "sandbox.getEnv": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "sandbox.setEnv": (
        frozenset(["env", "sandbox"]),
        frozenset(),
    ),
    "sandbox.isRunning": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "sandbox.cancel": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "sandbox.fork": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "sandbox.snapshot": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "sandbox.restore": (
        frozenset(["sandbox", "snapshot"]),
        frozenset(),
    ),
    "sandbox.export": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "sandbox.destroy": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "snapshot.drop": (
        frozenset(["snapshot"]),
        frozenset(),
    ),
    "functions.list": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "page.set": (
        frozenset(["html", "sandbox"]),
        frozenset(),
    ),
    "page.html": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "page.events": (
        frozenset(["sandbox"]),
        frozenset(),
    ),
    "state.publish": (
        frozenset(["content", "name", "sandbox"]),
        frozenset(["metadata"]),
    ),
    "state.read": (
        frozenset(["name", "sandbox"]),
        frozenset(),
    ),
    "question.answer": (
        frozenset(["question"]),
        frozenset(["allow", "by", "decisions", "span"]),
    ),
    "question.list": (
        frozenset(),
        frozenset(),
    ),
    "grants.list": (
        frozenset(),
        frozenset(["sandbox"]),
    ),
    "grants.grant": (
        frozenset(),
        frozenset(["by", "capability", "expiresInMs", "headers", "maxUses", "request", "sandbox", "span", "tool"]),
    ),
    "grants.revoke": (
        frozenset(["grant"]),
        frozenset(["by", "sandbox"]),
    ),
    "requests.list": (
        frozenset(),
        frozenset(["all"]),
    ),
    "requests.deny": (
        frozenset(["request"]),
        frozenset(["by"]),
    ),
    "audit.read": (
        frozenset(),
        frozenset(["event", "id", "last", "run", "sandbox", "verdict"]),
    ),
    "tool.add": (
        frozenset(["description", "name", "source"]),
        frozenset(["kind", "parameters", "returns", "wants"]),
    ),
    "tool.list": (
        frozenset(),
        frozenset(),
    ),
    "tool.show": (
        frozenset(["name"]),
        frozenset(),
    ),
    "tool.remove": (
        frozenset(["name"]),
        frozenset(),
    ),
    "tool.call": (
        frozenset(["name"]),
        frozenset(["args", "ask", "capabilities", "cwd", "env", "files", "functions", "limits", "mounts", "programs", "sandbox", "session", "stdin", "stream"]),
    ),
}

NOTIFICATIONS: frozenset[str] = frozenset(["question", "question.closed", "output"])

REQUESTS: frozenset[str] = frozenset(["function.call"])
