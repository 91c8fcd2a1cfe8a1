"""The client against the real program."""

from __future__ import annotations

import asyncio
import pathlib
import re
import sys
import tempfile
import threading
import types
import unittest
from typing import Annotated, Any, Literal, Optional

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE.parent / "examples")]

import cofferdam
from cofferdam import (
    ALLOW,
    DENY,
    Allow,
    AsyncSandbox,
    Connection,
    Mount,
    Question,
    Sandbox,
    function,
    models,
)
from cofferdam._functions import schema_of
from cofferdam._methods import METHODS, NOTIFICATIONS, REQUESTS

READ = "return await require('fs').promises.readFile('/data/a', 'utf8')"
FILES = {"/data/a": "A"}


class Runs(unittest.TestCase):
    def test_a_tool_returns_a_value(self) -> None:
        self.assertEqual(Sandbox().run("return 1 + 1"), 2)
        self.assertEqual(Sandbox().run("return args.n * 2", {"n": 21}), 42)
        self.assertEqual(Sandbox().run("const n: number = 3; return n", language="ts"), 3)

    def test_failures_have_their_own_exceptions(self) -> None:
        sandbox = Sandbox()
        with self.assertRaises(cofferdam.ExecutionError) as thrown:
            sandbox.run("throw new RangeError('no')")
        self.assertEqual(thrown.exception.code, "EXECUTION_ERROR")
        self.assertEqual((thrown.exception.name, thrown.exception.message), ("RangeError", "no"))
        with self.assertRaises(cofferdam.TimeLimit):
            sandbox.run("for (;;);", timeout=0.05)
        with self.assertRaises(cofferdam.LimitExceeded) as limit:
            sandbox.run("return 'x'.repeat(100)", limits={"resultBytes": 10})
        self.assertEqual(limit.exception.limit, "resultBytes")
        with self.assertRaises(cofferdam.PermissionDenied) as denied:
            Sandbox(files=FILES).run(READ)
        self.assertEqual(denied.exception.required_permission, "fs:read:/data/a")
        self.assertTrue(denied.exception.request_id)

    def test_outcomes_have_the_output(self) -> None:
        outcome = Sandbox().execute("console.log('out'); console.error('err'); throw 1")
        self.assertEqual((outcome.stdout, outcome.stderr), ("out\n", "err\n"))
        self.assertFalse(outcome.ok)

    def test_shell_files_and_environment(self) -> None:
        with Sandbox(env={"A": "1"}) as sandbox:
            sandbox.write("/tmp/b", b"\xff\x00")
            self.assertEqual(sandbox.read("/tmp/b"), b"\xff\x00")
            outcome = sandbox.shell("cat; echo $A$B; exit 3", stdin="in ", env={"B": "2"})
            self.assertEqual((outcome.stdout, outcome.exit_code), ("in 12\n", 3))
            sandbox.set_env({"A": None, "C": "3"})
            self.assertEqual((sandbox.env.get("A"), sandbox.env["C"]), (None, "3"))
            self.assertEqual(sandbox.list("/tmp"), ["b"])

    def test_mounts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a").write_text("mounted")
            sandbox = Sandbox(mounts=[Mount(folder, "/m")])
            self.assertEqual(sandbox.read_text("/m/a"), "mounted")

    def test_forks_snapshots_and_exports(self) -> None:
        sandbox = Sandbox(files={"/tmp/a": "1"})
        fork, snapshot = sandbox.fork(), sandbox.snapshot()
        sandbox.write("/tmp/a", "2")
        self.assertEqual(fork.read_text("/tmp/a"), "1")
        self.assertEqual(Sandbox(archive=sandbox.export()).read_text("/tmp/a"), "2")
        sandbox.restore(snapshot)
        self.assertEqual(sandbox.read_text("/tmp/a"), "1")
        sandbox.drop_snapshot(snapshot)

    def test_sessions_keep_variables(self) -> None:
        with Sandbox().session() as session:
            session.run("let n = 1")
            self.assertEqual(session.run("n + 1"), 2)

    def test_output_is_streamed(self) -> None:
        seen: list[tuple[str, str]] = []
        code = "console.log('a'); console.error('b')"
        Sandbox().run(code, on_output=lambda *piece: seen.append(piece))
        self.assertEqual(seen, [("stdout", "a\n"), ("stderr", "b\n")])

    def test_everything_in_a_sandbox_is_cancelled(self) -> None:
        started = threading.Event()
        sandbox = Sandbox(functions=[cofferdam.Function(lambda: started.set(), name="started")])
        outcomes: list[cofferdam.Outcome] = []
        code = "await btcp.functions.started({}); for (;;);"
        runner = threading.Thread(target=lambda: outcomes.append(sandbox.execute(code)))
        runner.start()
        self.assertTrue(started.wait(60))
        self.assertTrue(sandbox.is_running)
        self.assertTrue(sandbox.cancel())
        runner.join()
        self.assertEqual(outcomes[0].error_class, "CANCELLED")

    def test_page_and_state(self) -> None:
        sandbox = Sandbox(page="<p>1</p>", capabilities=["dom:read:p", "state:read:n"])
        self.assertEqual(sandbox.run("return btcp.dom.getTextContent('p')"), "1")
        sandbox.page = "<p>2</p>"
        self.assertIn("<p>2</p>", sandbox.page or "")
        self.assertEqual(sandbox.page_events(), [])
        sandbox.publish("n", {"a": 1})
        self.assertEqual(sandbox.published("n"), {"a": 1})

    def test_a_wrong_parameter_is_named(self) -> None:
        with self.assertRaises(cofferdam.RpcError) as refused:
            Sandbox(limits={"time": 1})
        self.assertIn("limits.time", str(refused.exception))


class Permissions(unittest.TestCase):
    def test_an_approver_decides(self) -> None:
        asked: list[Question] = []

        def approver(question: Question) -> Any:
            asked.append(question)
            return decision

        for decision, expected in [(ALLOW, "A"), (True, "A"), (DENY, None), ("yes", None)]:
            outcome = Sandbox(files=FILES, approver=approver).execute(READ)
            self.assertEqual(outcome.result, expected, decision)
        self.assertEqual(asked[0].wishes[0].wanted, "fs:read:/data/a")
        self.assertEqual(asked[0].wishes[0].words, asked[0].wishes[0].choices[0].words)
        self.assertRegex(asked[0].at or "", r":\d+$")
        self.assertIn("/data/a", asked[0].words)

    def test_a_wider_choice_lasts(self) -> None:
        asked: list[Question] = []

        def approver(question: Question) -> Allow:
            asked.append(question)
            return Allow("session", "fs:read:/data/**")

        sandbox = Sandbox(files=FILES, approver=approver)
        self.assertEqual([sandbox.run(READ), sandbox.run(READ)], ["A", "A"])
        self.assertEqual(len(asked), 1)

    def test_an_approver_that_fails_denies(self) -> None:
        def approver(_: Question) -> bool:
            raise ValueError("nobody here")

        with self.assertRaises(cofferdam.PermissionDenied):
            Sandbox(files=FILES, approver=approver).run(READ)

    def test_grants_requests_and_audit(self) -> None:
        sandbox = Sandbox(files=FILES)
        outcome = sandbox.execute(READ)
        assert outcome.error is not None
        grant = sandbox.grant("fs:read:/data/**")
        self.assertEqual(sandbox.run(READ), "A")
        self.assertIn(grant["id"], [one["id"] for one in sandbox.grants()])
        sandbox.revoke(grant["id"])
        with self.assertRaises(cofferdam.PermissionDenied) as denied:
            sandbox.run(READ)
        requests = [request["id"] for request in sandbox.requests(all=True)]
        self.assertIn(denied.exception.request_id, requests)
        sandbox.deny(denied.exception.request_id)
        self.assertEqual(sandbox.audit(verdict="deny")[0]["target"], "/data/a")
        self.assertEqual(sandbox.questions(), [])


class Functions(unittest.TestCase):
    def test_a_function_is_lent_with_its_schema(self) -> None:
        @function
        def weather(city: str, days: int = 1) -> str:
            """Returns the forecast
            for a city.

            More words."""
            return f"{city} {days}"

        sandbox = Sandbox(functions=[weather])
        code = "return await btcp.functions.weather({ city: 'Oslo', days: 2 })"
        self.assertEqual(sandbox.run(code), "Oslo 2")
        listed = sandbox.functions()[0]
        self.assertEqual(listed["description"], "Returns the forecast for a city.")
        self.assertEqual(listed["parameters"]["required"], ["city"])
        with self.assertRaises(cofferdam.ExecutionError) as wrong:
            sandbox.run("return await btcp.functions.weather({ city: 1 })")
        self.assertEqual(wrong.exception.name, "TypeError")
        self.assertEqual(weather("Rome"), "Rome 1")

    def test_an_exception_is_thrown_in_the_tool(self) -> None:
        @function(name="fail")
        def failing() -> None:
            raise KeyError("gone")

        sandbox = Sandbox(functions=[failing])
        code = "return await btcp.functions.fail({}).catch((error) => error.message)"
        self.assertEqual(sandbox.run(code), "fail: KeyError: 'gone'")

    def test_a_function_without_a_grant_is_asked_about(self) -> None:
        @function(grant=False)
        def danger() -> str:
            return "done"

        code = "return await btcp.functions.danger({})"
        approved = Sandbox(functions=[danger], approver=lambda _: True)
        with self.assertRaises(cofferdam.RunError):
            Sandbox(functions=[danger]).run(code)
        self.assertEqual(approved.run(f"// @capability function:call:danger\n{code}"), "done")

    def test_schemas_of_hints(self) -> None:
        for hint, schema in [
            (list[int], {"type": "array", "items": {"type": "integer"}}),
            (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
            (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),
            (Literal["a", "b"], {"enum": ["a", "b"]}),
            (Annotated[int, "a count"], {"type": "integer", "description": "a count"}),
        ]:
            self.assertEqual(schema_of(hint), schema)
        with self.assertRaises(TypeError):
            schema_of(threading.Thread)


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_runs_side_by_side(self) -> None:
        async with AsyncSandbox() as sandbox:
            runs = [sandbox.run("return args", n) for n in range(50)]
            self.assertEqual(await asyncio.gather(*runs), list(range(50)))
            self.assertEqual((await sandbox.shell("echo hi")).stdout, "hi\n")

    async def test_functions_and_approvers_may_be_coroutines(self) -> None:
        loop = asyncio.get_running_loop()

        async def approver(_: Question) -> bool:
            return asyncio.get_running_loop() is loop

        @function
        async def later(n: int) -> int:
            await asyncio.sleep(0)
            return n + 1

        async with AsyncSandbox(files=FILES, approver=approver, functions=[later]) as sandbox:
            self.assertEqual(await sandbox.run(READ), "A")
            self.assertEqual(await sandbox.run("return await btcp.functions.later({ n: 1 })"), 2)

    async def test_cancelling_the_task_cancels_the_run(self) -> None:
        started = asyncio.Event()

        @function
        async def begun() -> None:
            started.set()

        async with AsyncSandbox(functions=[begun]) as sandbox:
            run = asyncio.create_task(sandbox.run("await btcp.functions.begun({}); for (;;);"))
            await started.wait()
            run.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await run
            while sandbox.sync.is_running:
                await asyncio.sleep(0)


class Models(unittest.TestCase):
    def test_formats(self) -> None:
        openai, anthropic = models.definitions("openai"), models.definitions("anthropic")
        self.assertEqual(openai[0]["function"]["name"], "run_javascript")
        self.assertEqual(anthropic[0]["input_schema"], openai[0]["function"]["parameters"])

    def test_calls_return_text_also_of_failures(self) -> None:
        sandbox = Sandbox()
        self.assertEqual(models.call(sandbox, "run_javascript", '{"code": "return [1]"}'), "[1]")
        self.assertEqual(models.call(sandbox, "run_shell", {"command": "echo a; exit 2"}), "a\n\n[exit code 2]")
        said = models.call(sandbox, "run_javascript", {"code": READ})
        self.assertIn("fs:read:/data/a", said)

    def test_the_examples_run_with_a_scripted_model(self) -> None:
        import anthropic_tools
        import frameworks
        import openai_tools

        simple = types.SimpleNamespace
        call = simple(id="1", function=simple(name="run_javascript", arguments='{"code":"return 6*7"}'))

        def complete(messages: list[Any], **_: Any) -> Any:
            last = messages[-1]
            is_result = isinstance(last, dict) and last["role"] == "tool"
            content = last["content"] if is_result else None
            message = simple(content=content, tool_calls=None if is_result else [call])
            return simple(choices=[simple(message=message)])

        client = simple(chat=simple(completions=simple(create=complete)))
        self.assertEqual(openai_tools.answer(client, "m", "?"), "42")

        def create(messages: list[Any], **_: Any) -> Any:
            content = messages[-1]["content"]
            if isinstance(content, list):
                return simple(content=[simple(type="text", text=content[0]["content"])])
            use = simple(type="tool_use", id="1", name="run_shell", input={"command": "echo 42"})
            return simple(content=[use])

        client = simple(messages=simple(create=create))
        self.assertEqual(anthropic_tools.answer(client, "m", "?"), "42\n")
        self.assertEqual(frameworks.run_javascript("return 42"), "42")


def has_walls() -> bool:
    """Returns true if real programs can run on this machine; says so if not."""
    with Sandbox() as sandbox:
        try:
            sandbox.native("true")
        except cofferdam.RpcError as error:
            print(f"native programs: not tested: {error}")
            return False
    return True


class Native(unittest.TestCase):
    def test_a_real_program_is_denied_and_granted(self) -> None:
        if not has_walls():
            return
        # A program has a `/tmp` of its own.
        with tempfile.TemporaryDirectory(dir=HERE) as folder, Sandbox() as sandbox:
            data = pathlib.Path(folder).resolve() / "data.txt"
            data.write_text("content")
            words = ("python3", "-c", f"print(open({str(data)!r}).read())")
            outcome = sandbox.native(*words)
            self.assertEqual(outcome.exit_code, 1)
            denied = cofferdam.extract_permission_error(outcome.stderr)
            assert denied is not None
            self.assertEqual(denied["requiredPermission"], f"fs:read:{data}")
            sandbox.grant(request=denied["requestId"])
            self.assertEqual(sandbox.native(*words).stdout, "content\n")

    def test_input_variables_and_limits_of_a_real_program(self) -> None:
        if not has_walls():
            return
        with Sandbox(stdin="typed\n", env={"WORD": "w"}) as sandbox:
            outcome = sandbox.native("sh", "-c", "read x; echo $x $WORD")
            self.assertEqual(outcome.stdout, "typed w\n")
            late = sandbox.native("sleep", "100", timeout=0.3)
            assert late.error is not None
            self.assertEqual(late.error["code"], "TIMEOUT")

    def test_lines_that_only_look_like_denials(self) -> None:
        self.assertIsNone(cofferdam.extract_permission_error('{"code":"PERMISSION_DENIED"\nx'))
        self.assertIsNone(cofferdam.extract_permission_error('{"code":"PERMISSION_DENIED"}'))


class Tools(unittest.TestCase):
    def test_a_tool_is_registered_called_and_removed(self) -> None:
        with Sandbox() as sandbox:
            added = sandbox.add_tool("double", "return args.n * 2", description="Doubles a number")
            self.assertEqual(added["name"], "double")
            self.assertEqual([tool["name"] for tool in sandbox.tools()], ["double"])
            self.assertEqual(sandbox.tool("double")["source"], "return args.n * 2")
            self.assertEqual(sandbox.call_tool("double", {"n": 21}), 42)
            sandbox.remove_tool("double")
            self.assertEqual(sandbox.tools(), [])


class Connections(unittest.TestCase):
    def test_a_closed_connection_says_so(self) -> None:
        connection = Connection()
        sandbox = Sandbox(connection=connection)
        connection.close()
        with self.assertRaises(cofferdam.ConnectionLost):
            sandbox.run("return 1")

    def test_every_method_and_message_is_used(self) -> None:
        source = "".join(
            path.read_text()
            for path in (HERE.parent / "src/cofferdam").glob("*.py")
            if path.name != "_methods.py"
        )
        used = set(re.findall(r'"([a-z]+(?:\.[a-zA-Z]+)?)"', source))
        expected = set(METHODS) | NOTIFICATIONS | REQUESTS
        # `sandbox.exec` is another name of `exec`; a closed question needs no action.
        self.assertEqual(expected - used, {"sandbox.exec", "question.closed"})


if __name__ == "__main__":
    unittest.main()
