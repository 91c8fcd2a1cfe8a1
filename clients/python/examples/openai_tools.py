"""A sandbox as tools of an OpenAI model. The client is passed in, so no package is needed here."""

from typing import Any

from cofferdam import Sandbox, models


def answer(client: Any, model: str, question: str) -> str:
    """Lets the model run code until it answers."""
    messages: list[Any] = [{"role": "user", "content": question}]
    with Sandbox() as sandbox:
        while True:
            reply = client.chat.completions.create(
                model=model, messages=messages, tools=models.definitions("openai")
            )
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                text = models.call(sandbox, call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
