// A sandbox as tools of an Anthropic model. The client is passed in, so no package is needed here.

import { Sandbox } from 'cofferdam';
import { call, definitions } from 'cofferdam/models';

export async function answer(client, model, question) {
  const messages = [{ role: 'user', content: question }];
  const sandbox = await Sandbox.create();
  try {
    for (;;) {
      const tools = definitions('anthropic');
      const reply = await client.messages.create({ model, max_tokens: 4096, messages, tools });
      messages.push({ role: 'assistant', content: reply.content });
      const calls = reply.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) return reply.content.map((block) => block.text ?? '').join('');
      const results = calls.map(async ({ id, name, input }) => {
        const content = await call(sandbox, name, input);
        return { type: 'tool_result', tool_use_id: id, content };
      });
      messages.push({ role: 'user', content: await Promise.all(results) });
    }
  } finally {
    await sandbox.close();
  }
}
