"""A sandbox as a plain function with type hints and a docstring.

pydantic-ai takes it as `Agent(…, tools=[run_javascript])`; LangChain as
`langchain_core.tools.tool(run_javascript)`. Both read the hints and the docstring.
"""

from cofferdam import RunError, Sandbox

sandbox = Sandbox()


def run_javascript(code: str) -> str:
    """Runs the body of an async JavaScript function in a sandbox and returns its result.

    Args:
        code: The body of the function; use return for the result.
    """
    try:
        return str(sandbox.run(code, timeout=10))
    except RunError as error:
        return f"error: {error}"
