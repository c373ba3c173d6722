"""Recorded model calls, retries and re-asking; models of installed packages, LiteLLM for every other one."""

from .caller import Answer, CallContext, MessageAnswer, ModelCaller, StructuredAnswer
from .errors import ContextTooLongError, MalformedAnswerError, ModelError, ModelUnavailableError
from .jobs import call_context, echo, or_failure
from .listening import TokenSink
from .prompts import Prompt, PromptError, PromptKey, Prompts, load_prompts
from .providers import KeyMissing, Provider, chat_model, open_chat_model, provider
from .records import JetStreamRecordStore, MemoryRecordStore, RecordStore
from .settings import OFFLINE, ModelSettings
from .usage import Meter

__all__ = [
    "OFFLINE",
    "Answer",
    "CallContext",
    "ContextTooLongError",
    "JetStreamRecordStore",
    "KeyMissing",
    "MalformedAnswerError",
    "MemoryRecordStore",
    "MessageAnswer",
    "Meter",
    "ModelCaller",
    "ModelError",
    "ModelSettings",
    "ModelUnavailableError",
    "Prompt",
    "PromptError",
    "PromptKey",
    "Prompts",
    "Provider",
    "RecordStore",
    "StructuredAnswer",
    "TokenSink",
    "call_context",
    "chat_model",
    "echo",
    "load_prompts",
    "open_chat_model",
    "or_failure",
    "provider",
]
