// Modules of Node that the sandbox does not have. They load, because packages load them without
// need; what they export throws by its name when it is called. The little that needs no host works.
import { internal } from 'host';

const REASONS = {
  __proto__: null,
  cluster: 'a tool is one process',
  dgram: 'use fetch for requests',
  dns: 'fetch resolves host names',
  domain: 'use try and catch, or events',
  http2: 'use fetch, http or https',
  inspector: 'use console.log',
  repl: 'use readline',
  sqlite: 'use files, or the command sqlite3 through child_process',
  tls: 'use fetch or https for requests',
  trace_events: 'use performance.now()',
  v8: 'the engine is QuickJS; structuredClone copies values',
  wasi: 'run the program as a command of the sandbox',
  worker_threads: 'use promises, or child_process for commands',
};
const NAMES = {
  __proto__: null,
  cluster: 'fork setupPrimary setupMaster disconnect Worker',
  dgram: 'createSocket Socket',
  dns: 'lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse setServers getServers Resolver',
  domain: 'create createDomain Domain',
  http2: 'connect createServer createSecureServer getDefaultSettings getPackedSettings',
  inspector: 'open close url waitForDebugger Session',
  repl: 'start REPLServer',
  sqlite: 'DatabaseSync StatementSync',
  tls: 'connect createServer createSecureContext checkServerIdentity getCiphers Server TLSSocket SecureContext',
  trace_events: 'createTracing getEnabledCategories',
  v8: 'deserialize serialize getHeapSnapshot getHeapSpaceStatistics getHeapStatistics setFlagsFromString writeHeapSnapshot Serializer Deserializer',
  wasi: 'WASI',
  worker_threads: 'Worker markAsUntransferable moveMessagePortToContext getEnvironmentData setEnvironmentData',
};

// Members that work, or that programs only look at.
const WORKING = {
  __proto__: null,
  cluster: { isMaster: true, isPrimary: true, isWorker: false, workers: {}, settings: {} },
  dns: { ADDRCONFIG: 32, ALL: 16, V4MAPPED: 8, setDefaultResultOrder() {}, getDefaultResultOrder: () => 'verbatim' },
  http2: { constants: {} },
  tls: { DEFAULT_MAX_VERSION: 'TLSv1.3', DEFAULT_MIN_VERSION: 'TLSv1.2', rootCertificates: [] },
  worker_threads: {
    isMainThread: true,
    parentPort: null,
    resourceLimits: {},
    threadId: 0,
    workerData: null,
    SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  },
};

const refusing = (module, name) =>
  ({
    [name]: function () {
      throw internal.notAvailable(`node:${module}: ${name}`, REASONS[module]);
    },
  })[name];

const make = (module) => {
  const exports = { ...WORKING[module] };
  for (const name of NAMES[module].split(' ')) exports[name] = refusing(module, name);
  if (module === 'worker_threads') {
    Object.assign(exports, internal.part('messages'));
  }
  if (module === 'dns') {
    exports.lookup = internal.openPart('internal/net/lookup').lookup;
    exports.promises = {};
    for (const name of NAMES.dns.split(' ')) exports.promises[name] = async () => exports[name]();
    exports.promises.lookup = (name, options) =>
      new Promise((resolve, reject) => {
        const answer = (error, address, family) =>
          error ? reject(error) : resolve(options?.all ? address : { address, family });
        exports.lookup(name, options ?? {}, answer);
      });
  }
  return exports;
};

export default (name) => (name === 'dns/promises' ? make('dns').promises : make(name.split('/')[0]));
