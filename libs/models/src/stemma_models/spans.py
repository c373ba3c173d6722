"""One span and two measurements per call that is really made, by the GenAI conventions, without content."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry import metrics
from opentelemetry.trace import Span, SpanKind
from stemma_contracts.v1.usage import Usage
from stemma_telemetry import span
from stemma_telemetry.names import Attr, Metric
from stemma_telemetry.names import Span as SpanName

_meter = metrics.get_meter(__name__)
_tokens = _meter.create_histogram(Metric.TOKEN_USAGE, "{token}", "Tokens of one model call")
_duration = _meter.create_histogram(Metric.MODEL_DURATION, "s", "Time of one model call with its retries")


@dataclass(frozen=True)
class ChatSpan:
    """The span of one call; it is told what the call cost before it ends."""

    span: Span
    labels: dict[str, str]

    def answered(self, usage: Usage) -> None:
        """Note the tokens."""
        self.span.set_attribute(Attr.GEN_AI_INPUT_TOKENS, usage.input_tokens)
        self.span.set_attribute(Attr.GEN_AI_OUTPUT_TOKENS, usage.output_tokens)
        _tokens.record(usage.input_tokens, {**self.labels, Attr.GEN_AI_TOKEN_TYPE: "input"})
        _tokens.record(usage.output_tokens, {**self.labels, Attr.GEN_AI_TOKEN_TYPE: "output"})


@contextmanager
def chat_span(model: str, document_id: str, section_id: str) -> Iterator[ChatSpan]:
    """A CLIENT span around a call with all its attempts."""
    labels: dict[str, str] = {
        Attr.GEN_AI_OPERATION: SpanName.CHAT.value,
        Attr.GEN_AI_PROVIDER: model.partition("/")[0],
        Attr.GEN_AI_MODEL: model,
    }
    place: dict[str, str] = {
        Attr.GEN_AI_CONVERSATION: document_id,
        Attr.DOCUMENT: document_id,
        Attr.SECTION: section_id,
    }
    started = time.perf_counter()
    name = f"{SpanName.CHAT} {model}"
    with span(name, kind=SpanKind.CLIENT, attributes={**labels, **place}) as started_span:
        try:
            yield ChatSpan(started_span, labels)
        finally:
            _duration.record(time.perf_counter() - started, labels)
