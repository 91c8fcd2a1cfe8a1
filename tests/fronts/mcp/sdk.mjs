// The TypeScript SDK as a client, over HTTP and standard input.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const transports = {
  http: () =>
    new StreamableHTTPClientTransport(new URL(process.env.URL), {
      requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
    }),
  stdio: () => new StdioClientTransport({ command: 'cofferdam', args: ['mcp'], env: process.env }),
};

for (const [name, transport] of Object.entries(transports)) {
  const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: { url: {} } } });
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params);
    return { action: 'decline' };
  });
  await client.connect(transport());
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).slice(0, 5), ['run', 'files', 'sandbox', 'requests', 'tools']);
  // The SDK checks structured content against the output schema.
  const sum = await client.callTool({ name: 'run', arguments: { language: 'ts', code: 'return 1 + 2 as number' } });
  assert.equal(sum.structuredContent.result, 3);
  const shell = await client.callTool({ name: 'run', arguments: { language: 'bash', code: 'seq 3 | paste -sd+' } });
  assert.equal(shell.structuredContent.stdout, '1+2+3\n');
  // The client declines; the question stays open.
  const code = "return require('fs').readFileSync('/a', 'utf8')";
  const denied = await client.callTool({ name: 'run', arguments: { language: 'js', code, files: { '/a': 'x' } } });
  assert.equal(denied.isError, true);
  assert.equal(denied.structuredContent.status, 'waiting');
  assert.equal(asked.length, 1);
  assert.match(asked[0].url, /\/requests\//);
  const { structuredContent } = await client.callTool({ name: 'requests', arguments: {} });
  assert.equal(structuredContent.requests[0].id, denied.structuredContent.waiting[0].id);
  const { contents } = await client.readResource({ uri: 'cofferdam://api/tool.d.ts' });
  assert.match(contents[0].text, /interface Btcp/);
  await client.close();
  console.log(`sdk over ${name}: ok`);
}
