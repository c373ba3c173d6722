"""Recorded model calls, retries and re-asking; models of installed packages, LiteLLM for every other one."""

from .caller import Answer, CallContext, ModelCaller, call_context, echo, or_failure
from .client import Meter, TokenSink, tell_whole
from .errors import ContextTooLongError, MalformedAnswerError, ModelError, ModelUnavailableError
from .pace import Clock
from .probing import probe
from .prompts import Prompt, PromptError, PromptKey, Prompts, load_prompts
from .providers import KeyMissing, Provider, chat_model, open_chat_model, provider
from .records import JetStreamRecordStore, MemoryRecordStore, RecordStore
from .settings import OFFLINE, ModelFields, ModelSettings
