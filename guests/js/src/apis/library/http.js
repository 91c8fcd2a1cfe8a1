// `http` and `https`: requests, and servers that the tool itself can reach.
import { internal } from 'host';
import { Stream } from 'stream';
import { METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'internal/net/http_common';
import { Agent, ClientRequest, IncomingMessage, clientOf } from 'internal/net/http_client';
import { Server, ServerResponse, createServer } from 'node_http_server';

// Frameworks extend it when they are loaded.
class OutgoingMessage extends Stream {}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

const agentOf = (defaultPort, protocol) =>
  class extends Agent {
    static name = 'Agent';
    defaultPort = defaultPort;
    protocol = protocol;
  };
const SecureAgent = agentOf(443, 'https:');
const refuse = () => {
  throw internal.notAvailable('https.createServer', 'use http.createServer, which the rest of the tool can reach');
};

export const https = {
  Agent: SecureAgent,
  Server: refuse,
  createServer: refuse,
  globalAgent: new SecureAgent({ keepAlive: true }),
  ...clientOf('https:', 443),
};
export default {
  METHODS,
  STATUS_CODES,
  Agent,
  ClientRequest,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  createServer,
  validateHeaderName,
  validateHeaderValue,
  ...clientOf('http:', 80),
  setMaxIdleHTTPParsers() {},
  maxHeaderSize: 16384,
  globalAgent: new Agent({ keepAlive: true, timeout: 5000 }),
};
