"""Chat models by name: the offline writer, or any model that LiteLLM knows."""

from __future__ import annotations

import os

from langchain_core.language_models import BaseChatModel

from .settings import OFFLINE, ModelSettings
from .whole_answers import WholeAnswers


def chat_model(settings: ModelSettings) -> BaseChatModel:
    """The model of ``settings.name``; ``offline`` needs no key and no network."""
    return _offline_writer() if settings.name == OFFLINE else _litellm_model(settings)


def _offline_writer() -> BaseChatModel:
    from .offline import OfflineWriter

    return OfflineWriter()


def _litellm_model(settings: ModelSettings) -> BaseChatModel:
    # Importing litellm takes seconds, and without this it fetches a price list from the network.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm
    from langchain_litellm import ChatLiteLLM

    # It prints advice about each error to the standard output, where the log is.
    litellm.suppress_debug_info = True
    model = ChatLiteLLM(
        model=settings.name,
        api_base=settings.api_base,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        request_timeout=settings.call_limit,
        max_retries=1,
        # Only this keyword reaches the provider's own client; without it one call is three HTTP attempts.
        model_kwargs={"max_retries": 0, "drop_params": True},
    )
    model.client = WholeAnswers(litellm, settings.silence_limit)
    return model
