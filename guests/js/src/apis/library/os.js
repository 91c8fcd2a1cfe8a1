// `os`: the sandbox, not the machine.
import { internal } from 'host';

const process = internal.part('process');
const MEMORY = 2 ** 30;

const signals = {
  SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGIOT: 6, SIGBUS: 7, SIGFPE: 8,
  SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17,
  SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGWINCH: 28,
};
const errno = {
  EPERM: 1, ENOENT: 2, EINTR: 4, EIO: 5, EBADF: 9, EAGAIN: 11, ENOMEM: 12, EACCES: 13, EBUSY: 16, EEXIST: 17,
  EXDEV: 18, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, EMFILE: 24, ENOSPC: 28, ESPIPE: 29, EROFS: 30, EPIPE: 32,
  ENAMETOOLONG: 36, ENOSYS: 38, ENOTEMPTY: 39, ELOOP: 40, ECONNREFUSED: 111, ETIMEDOUT: 110,
};
const variable = (name, otherwise) => {
  try {
    return process.env[name] ?? otherwise;
  } catch {
    // Not granted: the usual value is true of the sandbox as well.
    return otherwise;
  }
};

export default {
  EOL: '\n',
  constants: {
    signals,
    errno,
    priority: {
      PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7,
      PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20,
    },
    UV_UDP_REUSEADDR: 4,
  },
  devNull: '/dev/null',
  arch: () => process.arch,
  availableParallelism: () => 1,
  cpus: () => [{ model: 'cofferdam', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  endianness: () => 'LE',
  freemem: () => MEMORY / 2,
  getPriority: () => 0,
  homedir: () => variable('HOME', '/home/user'),
  hostname: () => 'cofferdam',
  loadavg: () => [0, 0, 0],
  machine: () => process.arch,
  networkInterfaces: () => ({}),
  platform: () => process.platform,
  release: () => '6.0.0',
  setPriority() {},
  tmpdir: () => '/tmp',
  totalmem: () => MEMORY,
  type: () => 'Linux',
  uptime: () => process.uptime(),
  userInfo: () => ({ uid: 1000, gid: 1000, username: 'user', homedir: '/home/user', shell: '/bin/sh' }),
  version: () => 'cofferdam',
};
