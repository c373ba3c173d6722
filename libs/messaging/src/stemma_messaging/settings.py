"""Settings of a service: ``config/settings.toml``, overridden by the environment; anything unknown refuses start."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

S = TypeVar("S", bound="ServiceSettings")
CONFIG_DIR = "CONFIG_DIR"


class BadSettings(ValueError):
    """Settings with which a service must not start; ``problems`` has one line for each, without any value."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def _common(name: str, default: Any, **constraints: Any) -> Any:
    """A field whose environment variable is the same for every service."""
    return Field(default, validation_alias=AliasChoices(f"STEMMA_{name.upper()}", name), **constraints)


class ServiceSettings(BaseSettings):
    """What every service can be told.

    A field ``x`` of the service ``validator`` is overridden by ``STEMMA_VALIDATOR_X``; the connection and the
    logging of all services by ``STEMMA_NATS_URL``, ``STEMMA_NATS_USER``, ``STEMMA_NATS_PASSWORD``,
    ``STEMMA_LOG_JSON``, ``STEMMA_LOG_LEVEL`` and ``STEMMA_READY_FILE``. ``STEMMA_VALIDATOR_CONFIG_DIR`` names
    another folder of config files, the settings file among them.
    """

    model_config = SettingsConfigDict(extra="forbid", populate_by_name=True, env_nested_delimiter="__")

    nats_url: str = _common("nats_url", "nats://127.0.0.1:4222")
    nats_user: str | None = _common("nats_user", None)
    nats_password: SecretStr | None = _common("nats_password", None)
    log_json: bool = _common("log_json", True)
    log_level: Literal["debug", "info", "warning", "error"] = _common("log_level", "info")
    ready_file: Path | None = _common("ready_file", None)
    health_host: str = "127.0.0.1"
    health_port: int = Field(default=0, ge=0, le=65535, description="0 takes a free one")
    retry_base_s: float = Field(default=5.0, gt=0, description="wait before the second delivery; doubles each time")
    shutdown_grace_s: float = Field(default=20.0, ge=0, description="how long work under way may take at the end")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


class WorkerSettings(ServiceSettings):
    """What every worker can be told."""

    slots: int = Field(default=16, ge=1, le=1024, description="jobs at a time")


def config_dir(package: str) -> Path:
    """The folder of a service's config files.

    ``STEMMA_VALIDATOR_CONFIG_DIR`` names it for the package ``stemma_validator``; without that it lies beside
    ``src`` in a checkout and inside the package in a wheel. Raises `BadSettings` for a variable that names no
    folder, `ModuleNotFoundError` for a package that is not installed.
    """
    variable = f"{package.upper()}_{CONFIG_DIR}"
    if variable in os.environ:
        return _named_folder(variable)
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"no package is called {package}")
    folder = Path(spec.submodule_search_locations[0])
    return folder / "config" if (folder / "config").is_dir() else folder.parents[1] / "config"


def _named_folder(variable: str) -> Path:
    folder = os.environ[variable]
    if not folder or not Path(folder).is_dir():
        raise BadSettings([f"{variable}: no such folder"])
    return Path(folder)


def load_settings(service: str, settings_class: type[S], file: Path, **overrides: Any) -> S:
    """Read the settings of a service; raises `BadSettings`. ``overrides`` win over everything."""
    prefix = f"STEMMA_{service.upper().replace('-', '_')}_"
    bound = type(
        settings_class.__name__,
        (settings_class,),
        {
            "__module__": settings_class.__module__,
            "model_config": SettingsConfigDict(env_prefix=prefix, toml_file=file),
        },
    )
    strangers = _unknown_variables(prefix, settings_class)
    if strangers:
        raise BadSettings(f"{name}: no such setting" for name in strangers)
    try:
        settings: S = bound(**overrides)
    except ValidationError as error:
        raise BadSettings(_problems(error, prefix, file.name)) from None
    except (SettingsError, ValueError) as error:
        raise BadSettings([f"{file.name}: {type(error).__name__}"]) from None
    return settings


def _unknown_variables(prefix: str, settings_class: type[BaseSettings]) -> list[str]:
    known = {f"{prefix}{name.upper()}" for name, field in settings_class.model_fields.items() if not _aliases(field)}
    known |= {alias for field in settings_class.model_fields.values() for alias in _aliases(field)}
    ours = (name for name in os.environ if name.upper().startswith(prefix) and name != f"{prefix}{CONFIG_DIR}")
    return sorted(name for name in ours if name.upper().split("__")[0] not in known)


def _aliases(field: FieldInfo) -> set[str]:
    match field.validation_alias:
        case None:
            return set()
        case str() as alias:
            return {alias.upper()}
        case AliasChoices(choices=choices):
            return {choice.upper() for choice in choices if isinstance(choice, str)}
        case _:
            return set()


def _problems(error: ValidationError, prefix: str, file: str) -> list[str]:
    """One line a problem, with both places where it can come from, and without the value: it may be a secret."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        name = ".".join(map(str, problem["loc"])).removeprefix("STEMMA_").lower()
        lines.append(f"{name}: {problem['msg']} ({file} or {prefix}{name.upper().replace('.', '__')})")
    return lines
