"""One span and two measurements per call that is really made, by the GenAI conventions, without content."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry.trace import Span, SpanKind
from stemma_contracts.v1.usage import Usage
from stemma_telemetry import span
from stemma_telemetry.metrics import counter, histogram
from stemma_telemetry.names import Attr, Metric
from stemma_telemetry.names import Span as SpanName

_tokens = histogram(Metric.TOKEN_USAGE)
_duration = histogram(Metric.MODEL_DURATION)
_cost = counter(Metric.MODEL_COST)


@dataclass(frozen=True)
class ChatSpan:
    """The span of one call; it is told what the call cost before it ends. ``labels`` are those of its measurements."""

    span: Span
    labels: dict[str, str]

    def answered(self, usage: Usage) -> None:
        """Note the tokens and what they cost."""
        self.span.set_attribute(Attr.GEN_AI_INPUT_TOKENS, usage.input_tokens)
        self.span.set_attribute(Attr.GEN_AI_OUTPUT_TOKENS, usage.output_tokens)
        _tokens.record(usage.input_tokens, {**self.labels, Attr.GEN_AI_TOKEN_TYPE: "input"})
        _tokens.record(usage.output_tokens, {**self.labels, Attr.GEN_AI_TOKEN_TYPE: "output"})
        _cost.add(usage.cost, self.labels)


@contextmanager
def chat_span(model: str, tenant: str, document_id: str, section_id: str) -> Iterator[ChatSpan]:
    """A CLIENT span around a call with all its attempts."""
    called: dict[str, str] = {
        Attr.GEN_AI_OPERATION: SpanName.CHAT.value,
        Attr.GEN_AI_PROVIDER: model.partition("/")[0],
        Attr.GEN_AI_MODEL: model,
    }
    place: dict[str, str] = {
        Attr.GEN_AI_CONVERSATION: document_id,
        Attr.DOCUMENT: document_id,
        Attr.SECTION: section_id,
    }
    labels, failed = {**called, Attr.TENANT: tenant}, dict[str, str]()
    started = time.perf_counter()
    name = f"{SpanName.CHAT} {model}"
    with span(name, kind=SpanKind.CLIENT, attributes={**called, **place}) as started_span:
        try:
            yield ChatSpan(started_span, labels)
        except BaseException as error:
            failed[Attr.ERROR_TYPE] = type(error).__name__
            raise
        finally:
            _duration.record(time.perf_counter() - started, {**labels, **failed})
