"""A function over the client as a tool: strict about its arguments, with the caller's client, with errors in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import PrivateAttr, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from .clients import ClientOf
from .refusals import InvalidArgumentsError, Refusal, problems_of, refusal_of

Function = Callable[..., Awaitable[Any]]
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
ADDS_ONCE = ADDS.model_copy(update={"idempotent_hint": True})
ENDS = ADDS_ONCE.model_copy(update={"destructive_hint": True})


class Untitled(GenerateJsonSchema):
    """A schema without the titles that repeat the name of each field: a model reads all of it before every call."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Whether a field that gives itself no title gets one."""
        return False


class ClientTool(Tool):
    """A tool whose function has the caller's client as its first argument, ``client``, and gives a model."""

    _client_of: ClientOf = PrivateAttr()

    @classmethod
    def over(cls, function: Function, annotations: ToolAnnotations) -> ClientTool:
        """The tool of a function, for nobody yet; its name and its docstring are those of the function."""
        words = " ".join((function.__doc__ or "").split())
        tool = cls.from_function(
            function, title=_title_of(function), description=words, context_kwarg="client", annotations=annotations
        )
        assert isinstance(tool, cls)
        tool._forbid_what_is_unknown()
        return tool

    def for_callers(self, client_of: ClientOf) -> ClientTool:
        """The same tool, which calls with the client that ``client_of`` gives."""
        tool = self.model_copy()
        tool._client_of = client_of
        return tool

    def _forbid_what_is_unknown(self) -> None:
        """A misspelt argument is an error: who gave it meant something by it."""
        arguments = self.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        self.parameters = arguments.model_json_schema(schema_generator=Untitled)

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Call the function with the client of whoever asks; what is refused comes as an error that names fields."""
        try:
            async with self._client_of(context) as client:
                return await super().run(arguments, cast("Context[Any, Any]", client), convert_result)
        except Exception as error:
            if (refusal := _refusal_in(error)) is None:
                raise
            return told(refusal)


def _title_of(function: Function) -> str:
    return function.__name__.replace("_", " ").capitalize()


def _refusal_in(error: Exception) -> Refusal | None:
    """What is refused by an error that the SDK wrapped, or that came before the SDK had the call."""
    cause = error.__cause__ if isinstance(error, ToolError) else error
    if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
        return refusal_of(InvalidArgumentsError(*problems_of(cause)))
    return refusal_of(cause)


def told(refusal: Refusal) -> CallToolResult:
    """An error of a tool; its body is no structured content, which has to fit the schema of what the tool gives."""
    words = refusal.model_dump_json(exclude_defaults=True)
    return CallToolResult(content=[TextContent(type="text", text=words)], is_error=True)
