// Attempts to get out of a sandbox from JavaScript, for Bun and Node. Prints one line for each: its
// name, then "held", or "ESCAPED" and the way.
//
// Arguments: a secret file of the host, the number of a process of the host, a UDP port and a TCP
// port of the host's loopback, the path of a socket of the host, and milliseconds for each race.
import child from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

const [secret, hostPid, udpPort, tcpPort, socketPath, raceMs] = process.argv.slice(2);
const TOKEN = 'SECRET-OF-THE-HOST';
const folder = path.dirname(secret);

/** Returns the way out if reading reveals the secret. */
const reads = (how, read) => {
  const text = String(read());
  return text.includes(TOKEN) ? how : null;
};
/** Returns the way out if an act succeeds. */
const does = (how, act) => { act(); return how; };
const spawn = (file, words = []) => child.spawnSync(file, words, { encoding: 'utf8', timeout: 10000 });
const started = (ran) => (!ran.error && ran.status === 0 ? 'started' : null);
const connects = (options) => new Promise((resolve) => {
  const socket = net.connect(options);
  socket.on('connect', () => { socket.destroy(); resolve('connected'); });
  socket.on('error', () => resolve(null));
  setTimeout(() => { socket.destroy(); resolve(null); }, 1000);
});
/** Acts again and again while another worker exchanges a link or a folder. */
const races = async (prepare, swap, act) => {
  prepare?.();
  const other = new Worker(`const fs = require('fs'); const end = Date.now() + ${raceMs};
    while (Date.now() < end) { try { ${swap} } catch {} }`, { eval: true });
  const end = Date.now() + Number(raceMs);
  let found = null;
  while (!found && Date.now() < end) {
    for (let n = 0; n < 50 && !found; n++) try { found = act(); } catch { /* Refused. */ }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await other.terminate();
  return found;
};

const probes = {
  file_read: () => reads('readFileSync', () => fs.readFileSync(secret)),
  file_promises: async () => (String(await fs.promises.readFile(secret)).includes(TOKEN) ? 'promises' : null),
  file_descriptor: () => does('open', () => fs.openSync(secret, 'r')),
  file_stream: () => new Promise((resolve) => {
    fs.createReadStream(secret).on('data', () => resolve('stream')).on('error', () => resolve(null));
  }),
  file_stat: () => does('stat', () => fs.statSync(secret)),
  file_lstat: () => does('lstat', () => fs.lstatSync(secret)),
  file_access: () => does('access', () => fs.accessSync(secret)),
  file_exists: () => (fs.existsSync(secret) ? 'exists' : null),
  file_realpath: () => does('realpath', () => fs.realpathSync(secret)),
  file_list: () => (fs.readdirSync(folder).includes(path.basename(secret)) ? 'readdir' : null),
  file_write: () => does('write', () => fs.writeFileSync(secret, 'changed')),
  file_append: () => does('append', () => fs.appendFileSync(secret, 'x')),
  file_truncate: () => does('truncate', () => fs.truncateSync(secret)),
  file_unlink: () => does('unlink', () => fs.unlinkSync(secret)),
  file_rename: () => does('rename', () => fs.renameSync(secret, '/tmp/taken')),
  file_link: () => does('link', () => fs.linkSync(secret, '/tmp/linked')),
  file_symlink: () => reads('symlink', () => { fs.symlinkSync(secret, '/tmp/js-link'); return fs.readFileSync('/tmp/js-link'); }),
  file_copy: () => does('copy', () => fs.copyFileSync(secret, '/tmp/copied')),
  file_tree: () => does('cp', () => fs.cpSync(folder, '/tmp/tree', { recursive: true, errorOnExist: true })),
  file_chmod: () => does('chmod', () => fs.chmodSync(secret, 0o777)),
  file_times: () => does('utimes', () => fs.utimesSync(secret, 1, 1)),
  file_statfs: () => does('statfs', () => fs.statfsSync(secret)),
  file_chdir: () => reads('chdir', () => { process.chdir(folder); return fs.readFileSync(path.basename(secret)); }),
  file_dots: () => reads('dots', () => fs.readFileSync('/tmp/../../../../..' + secret)),
  file_proc_root: () => reads('proc root', () => fs.readFileSync('/proc/self/root' + secret)),
  file_proc_parent: () => reads('proc 1 root', () => fs.readFileSync('/proc/1/root' + secret)),
  file_shadow: () => does('shadow', () => fs.readFileSync('/etc/shadow')),
  file_system: () => does('written', () => fs.writeFileSync('/usr/lib/js-new', 'x')),
  file_settings: () => does('written', () => fs.writeFileSync('/etc/hosts', 'x')),
  file_root: () => does('made', () => fs.mkdirSync('/js-new')),
  worker_read: () => new Promise((resolve) => {
    const code = `const fs = require('fs'); let text = ''; try { text = fs.readFileSync(${JSON.stringify(secret)}, 'utf8'); } catch {}
      require('worker_threads').parentPort.postMessage(text);`;
    const worker = new Worker(code, { eval: true });
    worker.on('message', (text) => { resolve(text.includes(TOKEN) ? 'worker' : null); worker.terminate(); });
    worker.on('error', () => resolve(null));
  }),
  environment: () => (Object.values({ ...process.env }).includes(TOKEN) ? 'env' : null),
  environment_proc: () => reads('environ', () => fs.readFileSync('/proc/self/environ')),
  environment_init: () => reads('environ of init', () => fs.readFileSync('/proc/1/environ')),
  descriptors: () => {
    const open = fs.readdirSync('/proc/self/fd').map((n) => { try { return fs.readlinkSync('/proc/self/fd/' + n); } catch { return ''; } });
    return open.find((at) => at.startsWith(folder) || /store\.db|cofferdam\/target/.test(at)) ?? null;
  },
  proc_host: () => does('status', () => fs.readFileSync(`/proc/${hostPid}/status`)),
  proc_memory: () => does('memory of init', () => fs.openSync('/proc/1/mem', 'r+')),
  proc_pattern: () => does('core_pattern', () => fs.writeFileSync('/proc/sys/kernel/core_pattern', '|/tmp/x')),
  signal_host: () => does('signal', () => process.kill(Number(hostPid), 0)),
  socket_path: () => connects({ path: socketPath }),
  socket_abstract: () => connects({ path: '\0cofferdam-probe' }),
  socket_listen: () => new Promise((resolve) => {
    const server = net.createServer().on('error', () => resolve(null));
    server.listen('/tmp/js.sock', () => { server.close(); resolve('listens on a path'); });
  }),
  // The host looks at these two.
  socket_udp: () => new Promise((resolve) => {
    const socket = dgram.createSocket('udp4').on('error', () => resolve(null));
    socket.send('probe', Number(udpPort), '127.0.0.1', () => { socket.close(); resolve(null); });
  }),
  socket_tcp: async () => { await connects({ host: '127.0.0.1', port: Number(tcpPort) }); return null; },
  program_child: () => started(spawn('/usr/bin/id')),
  program_shell: () => (spawn('/bin/sh', ['-c', `cat ${secret}`]).stdout?.includes(TOKEN) ? 'shell' : null),
  program_own: () => {
    fs.copyFileSync('/usr/bin/true', '/tmp/own-true');
    fs.chmodSync('/tmp/own-true', 0o755);
    return started(spawn('/tmp/own-true'));
  },
  program_script: () => {
    fs.writeFileSync('/tmp/own-script', '#!/usr/bin/true\n', { mode: 0o755 });
    return started(spawn('/tmp/own-script'));
  },
  program_loader: () => started(spawn('/lib64/ld-linux-x86-64.so.2', ['/usr/bin/true'])),
  program_library: () => {
    fs.copyFileSync('/lib/x86_64-linux-gnu/libm.so.6', '/tmp/own.node');
    try { process.dlopen({ exports: {} }, '/tmp/own.node'); } catch (error) {
      // A library that was mapped and is no module of the runtime has another message.
      return /failed to map|Operation not permitted|Permission denied/.test(error.message) ? null : `mapped: ${error.message}`;
    }
    return 'mapped';
  },
  race_link: () => races(() => fs.symlinkSync('/etc/hostname', '/tmp/raced'),
    `fs.symlinkSync(${JSON.stringify(secret)}, '/tmp/r1'); fs.renameSync('/tmp/r1', '/tmp/raced'); fs.symlinkSync('/etc/hostname', '/tmp/r1'); fs.renameSync('/tmp/r1', '/tmp/raced');`,
    () => reads('raced', () => fs.readFileSync('/tmp/raced'))),
  race_folder: () => races(() => { fs.mkdirSync('/tmp/f1'); fs.writeFileSync('/tmp/f1/' + path.basename(secret), 'plain'); fs.symlinkSync(folder, '/tmp/f2'); },
    `fs.renameSync('/tmp/f1', '/tmp/f3'); fs.renameSync('/tmp/f2', '/tmp/f1'); fs.renameSync('/tmp/f1', '/tmp/f2'); fs.renameSync('/tmp/f3', '/tmp/f1');`,
    () => reads('raced', () => fs.readFileSync('/tmp/f1/' + path.basename(secret)))),
};

// System calls by number, past every shim: x86-64, in Bun alone.
if (typeof Bun !== 'undefined' && process.arch === 'x64') {
  const { dlopen, ptr } = await import('bun:ffi');
  const number = 'i64';
  const { symbols } = dlopen('libc.so.6', { syscall: { args: Array(7).fill(number), returns: number } });
  const kept = [];
  const text = (value) => { const bytes = Buffer.from(value + '\0'); kept.push(bytes); return ptr(bytes); };
  const room = (size) => { const bytes = Buffer.alloc(size); kept.push(bytes); return ptr(bytes); };
  const call = (name, nr, words) => {
    probes['call_' + name] = () => {
      const all = [nr, ...words(), 0, 0, 0, 0, 0, 0].slice(0, 7).map((word) => BigInt(word));
      return Number(symbols.syscall(...all)) >= 0 ? `${name} succeeded` : null;
    };
  };
  call('open', 2, () => [text(secret), 0]);
  call('openat', 257, () => [-100, text(secret), 0]);
  call('stat', 4, () => [text(secret), room(256)]);
  call('unshare_user', 272, () => [0x10000000]);
  call('setns', 308, () => [0, 0]);
  call('mount', 165, () => [text('none'), text('/tmp'), text('tmpfs'), 0, 0]);
  call('chroot', 161, () => [text('/tmp')]);
  call('ptrace', 101, () => [16, 1, 0, 0]);
  call('io_uring', 425, () => [8, room(256)]);
  call('bpf', 321, () => [0, room(128), 128]);
  call('perf', 298, () => [room(128), 0, -1, -1, 0]);
  call('userfaultfd', 323, () => [1]);
  call('keyctl', 250, () => [0, -3, 0]);
  call('netlink', 41, () => [16, 3, 0]);
  call('vsock', 41, () => [40, 1, 0]);
  call('packet', 41, () => [17, 3, 768]);
  call('unix', 41, () => [1, 1, 0]);
  call('handle', 304, () => [-100, room(64), 0]);
  call('memory_of_init', 310, () => [1, room(64), 1, room(64), 1, 0]);
  call('pidfd_host', 434, () => [Number(hostPid), 0]);
  call('module', 313, () => [0, text(''), 0]);
}

for (const [name, probe] of Object.entries(probes)) {
  let found;
  try { found = await probe(); } catch { found = null; }
  process.stdout.write(`${name} ${found ? 'ESCAPED ' + found : 'held'}\n`);
}
process.exit(0);
