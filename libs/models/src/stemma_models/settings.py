"""What can be set about model calls."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

OFFLINE = "offline"
OLLAMA = ("ollama/", "ollama_chat/")
SHARED = {
    "model": "STEMMA_MODEL",
    "api_base": "STEMMA_MODEL_API_BASE",
    "context_tokens": "STEMMA_MODEL_CONTEXT",
}
"""The variables that name the model of all services."""
Structure = Literal["schema", "tool", "words"]
"""How a model is asked for an answer of a schema: bound to it, by a tool, or in words."""
_STRUCTURE = "how the model is asked for values: by schema, tool or words; else as LiteLLM knows it"

_STOP = "words at which an answer ends"


class ModelSettings(BaseModel):
    """One model and the bounds of its calls. Keys are not here: providers read theirs from the environment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(default=OFFLINE, min_length=1, description="'offline', or a model name as LiteLLM spells it")
    api_base: str | None = Field(default=None, description="base URL of an OpenAI-compatible server")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=8192, ge=1, description="upper bound of one answer")
    context_tokens: int | None = Field(
        default=None, ge=1024, description="tokens that the model holds, prompt and answer; else as LiteLLM knows it"
    )
    structure: Structure | None = Field(default=None, description=_STRUCTURE)
    stop: tuple[str, ...] = Field(default=(), max_length=4, description=_STOP)
    call_limit: float | None = Field(
        default=None, gt=0, description="seconds for one call with all its retries; else what fits the model's speed"
    )
    retries: int = Field(default=4, ge=0, le=20, description="further attempts after a transient error")
    backoff: float = Field(default=1.0, ge=0, description="seconds before the first retry, doubled each time")
    recordings: Path | None = None

    @property
    def is_own_server(self) -> bool:
        """Whether it is served by a machine of the user's, as a rule."""
        return self.api_base is not None or self.name.startswith(OLLAMA)

    @property
    def parameters(self) -> dict[str, object]:
        """What changes the answer, and so belongs to the key of a record."""
        told = {"name", "api_base", "temperature", "max_tokens"}
        return self.model_dump(include=told | {"stop"} if self.stop else told)


class ModelFields(BaseModel):
    """What a service can be told of its model. The keys of providers are read by LiteLLM from the environment."""

    shared_model: str = Field(OFFLINE, min_length=1, validation_alias="STEMMA_MODEL")
    shared_api_base: str | None = Field(None, validation_alias="STEMMA_MODEL_API_BASE")
    shared_context: int | None = Field(None, ge=1024, validation_alias="STEMMA_MODEL_CONTEXT")
    model: str = Field(default=OFFLINE, min_length=1, description="'offline', or a model name as LiteLLM spells it")
    api_base: str | None = Field(default=None, description="base URL of an OpenAI-compatible server")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=8192, ge=1, description="upper bound of one answer")
    context_tokens: int | None = Field(
        default=None, ge=1024, description="tokens that a local model holds, prompt and answer; LiteLLM knows others"
    )
    structure: Structure | None = Field(default=None, description=_STRUCTURE)
    stop: tuple[str, ...] = Field(default=(), max_length=4, description=_STOP)
    call_limit_s: float | None = Field(
        default=None,
        gt=0,
        description="one model call with all its retries; a stream that is silent for half of it is tried again; "
        "by default what fits the length of the prompt and the speed of the model, at least 180 seconds",
    )
    call_retries: int = Field(default=4, ge=0, le=20)
    recordings: Path | None = Field(
        default=None, description="folder of answers that any document is given again, as `stemma eval` sets it"
    )

    @model_validator(mode="before")
    @classmethod
    def _as_for_all_services(cls, told: dict[str, Any]) -> dict[str, Any]:
        """A model of the service's own has its own address and context, too."""
        told = {name: value for name, value in told.items() if value or name not in SHARED.values()}
        shared = {} if "model" in told else {own: told[name] for own, name in SHARED.items() if name in told}
        return shared | told

    def settings_of_model(self, **special: Any) -> ModelSettings:
        """The model, with what is special for a part of the service."""
        own = {name for name, field in ModelFields.model_fields.items() if field.validation_alias is None}
        told = self.model_dump(include=own) | special
        name, call_limit, retries = told.pop("model"), told.pop("call_limit_s"), told.pop("call_retries")
        return ModelSettings(name=name, call_limit=call_limit, retries=retries, **told)
