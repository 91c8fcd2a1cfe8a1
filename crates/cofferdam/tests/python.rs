//! Tools in Python, as a program that embeds the library sees them.

use std::time::{Duration, Instant};

use cofferdam::{Ending, Exhausted, Limits, Outcome, Sandbox, SandboxBuilder, Tool, Value};
use serde_json::json;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let executor = tokio::runtime::Builder::new_current_thread().build();
    executor.expect("an executor").block_on(future)
}

fn run_in(sandbox: &Sandbox, tool: &Tool) -> Outcome {
    block_on(sandbox.run(tool)).expect("an outcome")
}

fn run(builder: SandboxBuilder, source: &str) -> Outcome {
    run_in(&builder.build().expect("a sandbox"), &Tool::python(source))
}

#[track_caller]
fn check(source: &str, expected: serde_json::Value) {
    let outcome = run(Sandbox::builder(), source);
    let value = outcome.result().unwrap_or_else(|| panic!("{source}: {:?}", outcome.error()));
    assert_eq!(cofferdam::json::to_json(value).json, expected, "{source}");
}

#[test]
fn values_cross_in_both_directions() {
    let value = json!({ "n": -1, "f": 0.5, "list": [1, [2]], "none": null, "text": "\u{1f600}" });
    let tool = Tool::python("def tool(btcp, args):\n    return args").args(value.clone());
    let outcome = run_in(&Sandbox::new().expect("a sandbox"), &tool);
    assert_eq!(cofferdam::json::to_json(outcome.result().expect("a value")).json, value);
    check(
        "def tool():\n    return [type(2 ** 40).__name__, 2 ** 40, -0.5]",
        json!(["int", 1_u64 << 40, -0.5]),
    );
    check("def tool(args):\n    return args is None", json!(true));
}

#[test]
fn a_tool_may_leave_out_parameters() {
    check("def tool():\n    return 1", json!(1));
    check("async def tool(args):\n    return 2", json!(2));
    check("def tool(*rest):\n    return len(rest)", json!(2));
    check("class tool:\n    def __new__(cls, btcp, args):\n        return 3", json!(3));
}

/// CPython reads the line of a syntax error from the file that the code names, such as `<unknown>`.
#[test]
fn code_without_a_file_is_not_looked_for_among_the_files() {
    let source =
        "import ast\ntry:\n    ast.parse('a b')\nexcept SyntaxError:\n    open('data.txt')";
    let outcome = run(Sandbox::builder(), source);
    assert!(matches!(outcome.ending, Ending::Denied(_)), "{outcome:?}");
    assert_eq!(outcome.denials.len(), 1, "{outcome:?}");
}

/// T-CELL-027.
#[test]
fn a_tool_that_runs_again_comes_to_the_same() {
    let sandbox = Sandbox::new().expect("a sandbox");
    for source in [
        "def tool(btcp, args):\n    return args",
        "x = 1\nprint(x)\n\nraise ValueError('here')",
        "async def tool(btcp, args):\n    import asyncio\n    await asyncio.sleep(0)\n    return 1",
        "y = = 1",
    ] {
        let tool = Tool::python(source).args(json!(7));
        let seen = |outcome: Outcome| (format!("{:?}", outcome.ending), outcome.stdout.text());
        let first = seen(run_in(&sandbox, &tool));
        for _ in 0..4 {
            assert_eq!(seen(run_in(&sandbox, &tool)), first, "{source}");
        }
    }
}

/// T-CELL-020.
#[test]
fn no_run_sees_another() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let source = "import json, sys, os\n\
        def tool():\n    seen = hasattr(json, 'left'), 'left' in os.environ, hasattr(sys, 'left')\n    \
        json.left = sys.left = 1\n    os.environ['left'] = '1'\n    return any(seen)";
    for _ in 0..5 {
        let outcome = run_in(&sandbox, &Tool::python(source));
        assert_eq!(outcome.ending, Ending::Returned(Value::Bool(false)));
    }
}

/// T-CELL-022.
#[test]
fn randomness_differs_between_cells() {
    let sandbox = Sandbox::new().expect("a sandbox");
    for source in [
        "import random\ndef tool():\n    return random.random()",
        "import random\ndef tool():\n    return random.Random().getrandbits(64)",
        "import random\ndef tool():\n    return hash(random.getstate())",
        "import uuid\ndef tool():\n    return str(uuid.uuid4())",
        "import secrets\ndef tool():\n    return secrets.token_hex()",
        "import tempfile\ndef tool():\n    return next(tempfile._get_candidate_names())",
    ] {
        let tool = Tool::python(source);
        let first = run_in(&sandbox, &tool).ending;
        assert!(matches!(first, Ending::Returned(_)), "{first:?}");
        assert_ne!(first, run_in(&sandbox, &tool).ending, "{source}");
    }
}

#[test]
fn an_event_loop_waits_for_timers_in_order() {
    check(
        "import asyncio\n\
         async def tool(btcp, args):\n    seen = []\n    \
         async def late(n):\n        await asyncio.sleep(n / 1000)\n        seen.append(n)\n    \
         await asyncio.gather(late(30), late(5), late(15))\n    return seen",
        json!([5, 15, 30]),
    );
    let outcome = run(
        Sandbox::builder(),
        "import asyncio\nasync def tool():\n    await asyncio.get_running_loop().create_future()",
    );
    assert!(matches!(outcome.ending, Ending::Threw(_)), "{:?}", outcome.ending);
}

#[test]
fn functions_are_lent_to_python() {
    let builder = || {
        let add = cofferdam::Function::new("add", |args: serde_json::Value| async move {
            Ok(json!(args["a"].as_i64().unwrap_or(0) + args["b"].as_i64().unwrap_or(0)))
        });
        let granted = "function:call:add".parse().expect("a capability");
        Sandbox::builder().function(add).grant(granted)
    };
    for source in [
        "def tool(btcp, args):\n    return btcp.functions.add(a=1, b=2)",
        "async def tool(btcp, args):\n    return await btcp.functions.add({'a': 1, 'b': 2})",
        "import asyncio\nasync def tool(btcp, args):\n    \
         return sum(await asyncio.gather(*(btcp.functions.add(a=n) for n in range(3))))",
    ] {
        assert_eq!(run(builder(), source).ending, Ending::Returned(Value::Number(3.0)), "{source}");
    }
}

/// T-CELL-001.
#[test]
fn whatever_computes_ends_at_its_time() {
    let time = Duration::from_millis(50);
    for source in [
        "while True: pass",
        "sum(range(10 ** 12))",
        "import re\nre.match(r'(a+)+$', 'a' * 50 + 'b')",
        "x = 3 ** (10 ** 9)",
        "str(10 ** 10 ** 7)",
        "list(map(str, iter(int, 1)))",
        "while True: b'xy' in b'x' * 10 ** 7",
        "sorted([0] * 10 ** 6 * 5, key=lambda x: x)",
        "import asyncio\nasync def tool():\n    while True: await asyncio.sleep(0)",
        "import time\ntime.sleep(100)",
        "import asyncio\nasyncio.run(asyncio.sleep(100))",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import hashlib\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 10 ** 9)",
        "class A:\n    def __del__(self):\n        while True: pass\nA()",
        "import zlib\nwhile True: zlib.compress(b'x' * 10 ** 6)",
        "import sqlite3\nsqlite3.connect(':memory:').execute('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL \
         SELECT x + 1 FROM c) SELECT count(*) FROM c').fetchall()",
        "compile('x = ' + '+'.join(['1'] * 10 ** 6), 'f', 'exec')",
        "import json\nwhile True: json.loads('[' * 100 + ']' * 100)",
    ] {
        let limits = Limits::default().with_time(time).with_memory_bytes(256 << 20);
        let began = Instant::now();
        let outcome = run(Sandbox::builder().limits(limits), source);
        let is_stopped = matches!(
            outcome.ending,
            Ending::Stopped(Exhausted::Time { .. } | Exhausted::Limit { .. }) | Ending::Threw(_)
        );
        assert!(is_stopped, "{source}: {:?}", outcome.ending);
        assert!(began.elapsed() < Duration::from_secs(5), "{source}: {:?}", began.elapsed());
    }
}

/// T-CELL-003.
#[test]
fn memory_has_its_limit() {
    for source in [
        "x = []\nwhile True: x.append(bytes(100000))",
        "x = 'ab'\nwhile True: x += x",
        "x = {}\nn = 0\nwhile True:\n    x[n] = [n]\n    n += 1",
    ] {
        let outcome = run(Sandbox::builder(), source);
        let name = outcome.error().map(|error| error.name.clone());
        assert!(matches!(outcome.ending, Ending::Stopped(_)), "{source}: {name:?}");
    }
    // More than 32 bits can address is refused by the interpreter itself.
    for source in ["x = [0] * 10 ** 9", "bytearray(2 ** 31 - 1)"] {
        let outcome = run(Sandbox::builder(), source);
        assert!(matches!(outcome.ending, Ending::Threw(_)), "{source}: {:?}", outcome.ending);
    }
}
