"""Vectors of texts, by any embedding model that LiteLLM knows."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from operator import itemgetter
from typing import Any

from stemma_contracts.v1.usage import Usage
from stemma_telemetry.names import Span

from .caller import CallContext, model_span
from .providers import NO_KEY, needs_no_key, require_key
from .settings import ModelSettings

BATCH = 64
RETRIES = 2
LIMIT_S = 600.0
"""For one batch: a model of one's own may take seconds for each text."""
MOST_NUMBERS = 16_384
"""Of a vector."""


class EmbeddingUnavailable(Exception):
    """No vectors came; the message has the kind of the error and no text."""


@dataclass(frozen=True)
class Embedder:
    """An embedding model by the name that LiteLLM has for it."""

    name: str
    api_base: str | None = None

    def check(self) -> None:
        """Raises `KeyMissing` for a model that could never be asked."""
        require_key(self._settings)

    async def vectors(self, texts: Sequence[str], ctx: CallContext) -> list[list[float]]:
        """A vector for each of up to `BATCH` texts; raises `EmbeddingUnavailable`. An answer counts in the meter."""
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        litellm = await asyncio.to_thread(import_module, "litellm")
        try:
            with model_span(Span.EMBEDDINGS, self.name, ctx) as answered:
                answer = await litellm.aembedding(
                    model=self.name,
                    input=[*texts],
                    api_base=self.api_base,
                    api_key=NO_KEY if needs_no_key(self._settings) else None,
                    timeout=LIMIT_S,
                    max_retries=RETRIES,
                    encoding_format="float",
                    drop_params=True,
                )
                usage = _usage_of(answer)
                answered(usage)
            ctx.meter.count(usage)
            found = [*map(itemgetter("embedding"), sorted(answer.data, key=itemgetter("index")))]
        except Exception as error:  # whatever a server answers
            raise EmbeddingUnavailable(type(error).__name__) from error
        if len(found) != len(texts) or not all(map(_is_vector, found)) or len(set(map(len, found))) > 1:
            raise EmbeddingUnavailable("not one vector for each text")
        return found

    @property
    def _settings(self) -> ModelSettings:
        return ModelSettings(name=self.name, api_base=self.api_base)


def _usage_of(answer: Any) -> Usage:
    read = getattr(answer.usage, "prompt_tokens", None) or 0
    cost = answer.hidden_params.get("response_cost") or 0.0
    return Usage(calls=1, input_tokens=max(0, read), cost=max(0.0, cost))


def _is_vector(told: Any) -> bool:
    is_list = isinstance(told, list) and 0 < len(told) <= MOST_NUMBERS
    return is_list and all(isinstance(one, float | int) and isfinite(one) for one in told)
