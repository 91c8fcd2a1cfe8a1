// A sandbox as tools of an OpenAI model. The client is passed in, so no package is needed here.

import { Sandbox } from 'cofferdam';
import { call, definitions } from 'cofferdam/models';

export async function answer(client, model, question) {
  const messages = [{ role: 'user', content: question }];
  const sandbox = await Sandbox.create();
  try {
    for (;;) {
      const tools = definitions('openai');
      const reply = await client.chat.completions.create({ model, messages, tools });
      const { message } = reply.choices[0];
      messages.push(message);
      if (!message.tool_calls?.length) return message.content;
      for (const { id, function: asked } of message.tool_calls) {
        const content = await call(sandbox, asked.name, asked.arguments);
        messages.push({ role: 'tool', tool_call_id: id, content });
      }
    }
  } finally {
    await sandbox.close();
  }
}
