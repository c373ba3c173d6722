"""What can be set about the roles graph."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator


class RolesSettings(BaseModel):
    """How many roles there are, how long they may take, and what is told of the state."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min_roles: int = Field(default=2, ge=1, le=16)
    max_roles: int = Field(default=4, ge=1, le=16)
    min_request_words: int = Field(default=3, ge=1, description="a shorter request says too little to choose roles")
    role_limit_s: float = Field(default=30.0, gt=0, description="one role with all its retries")
    graph_limit_s: float = Field(default=60.0, gt=0, description="the whole graph")
    role_retries: int = Field(default=3, ge=0, le=20, description="further calls of a role after a model error")
    log_state: bool | None = Field(
        default=None, description="log node names, times and sizes, never content; by default in development only"
    )

    @model_validator(mode="after")
    def _in_order(self) -> RolesSettings:
        if self.min_roles > self.max_roles:
            raise ValueError("min_roles must not exceed max_roles")
        return self
