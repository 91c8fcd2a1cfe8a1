"""A sandbox as tools of an Anthropic model. The client is passed in, so no package is needed here."""

from typing import Any

from cofferdam import Sandbox, models


def answer(client: Any, model: str, question: str) -> str:
    """Lets the model run code until it answers."""
    messages: list[Any] = [{"role": "user", "content": question}]
    with Sandbox() as sandbox:
        while True:
            reply = client.messages.create(
                model=model, max_tokens=4096, messages=messages, tools=models.definitions("anthropic")
            )
            messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in reply.content if block.type == "text")
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": models.call(sandbox, call.name, call.input),
                }
                for call in calls
            ]
            messages.append({"role": "user", "content": results})
