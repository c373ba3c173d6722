"""Settings of a service: ``config/settings.toml``, overridden by the environment; anything unknown refuses start."""

import os
from collections.abc import Iterable, Mapping, Set
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)
from stemma_contracts.connections import check_servers, tls_options
from stemma_contracts.misfits import misfits

S = TypeVar("S", bound="ServiceSettings")
CONFIG_DIR = "CONFIG_DIR"
RESEMBLANCE = 0.85
"""Of a variable to a shared one, from which on it is a typo and not somebody else's."""


class BadSettings(ValueError):
    """Settings with which a service must not start; ``problems`` has one line for each, without any value."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def _common(name: str, default: Any, **constraints: Any) -> Any:
    """A field whose environment variable is the same for every service.

    Each alias is looked up in the environment as it stands, so the plain name must not be one.
    """
    return Field(default, validation_alias=f"STEMMA_{name.upper()}", **constraints)


def _check_seed(file: Path | None) -> Path | None:
    """The file of a secret key, which is not quoted."""
    import nkeys

    try:
        if file is not None:
            nkeys.from_seed(bytearray(file.read_bytes().strip()))
    except (OSError, nkeys.NkeysError):
        raise ValueError("names no file with the seed of a user") from None
    return file


class ServiceSettings(BaseSettings):
    """What every service can be told.

    A field ``x`` of the service ``validator`` is overridden by ``STEMMA_VALIDATOR_X``; the connection and the
    logging of all services by ``STEMMA_NATS_URL``, ``STEMMA_NATS_USER``, ``STEMMA_NATS_PASSWORD``,
    ``STEMMA_NATS_SEED_FILE``, ``STEMMA_NATS_CA_FILE``, ``STEMMA_NATS_CERT_FILE``, ``STEMMA_NATS_KEY_FILE``,
    ``STEMMA_LOG_JSON``, ``STEMMA_LOG_LEVEL`` and ``STEMMA_READY_FILE``. ``STEMMA_VALIDATOR_CONFIG_DIR``
    names another folder of config files, the settings file among them.
    """

    model_config = SettingsConfigDict(
        extra="forbid", populate_by_name=True, env_prefix="STEMMA_", env_nested_delimiter="__"
    )

    nats_url: Annotated[str, AfterValidator(check_servers)] = _common("nats_url", "nats://127.0.0.1:4222")
    nats_user: str | None = _common("nats_user", None)
    nats_password: SecretStr | None = _common("nats_password", None)
    nats_seed_file: Annotated[Path | None, AfterValidator(_check_seed)] = _common("nats_seed_file", None)
    nats_ca_file: Path | None = _common("nats_ca_file", None)
    nats_cert_file: Path | None = _common("nats_cert_file", None)
    nats_key_file: Path | None = _common("nats_key_file", None)
    log_json: bool = _common("log_json", True)
    log_level: Literal["debug", "info", "warning", "error"] = _common("log_level", "info")
    ready_file: Path | None = _common("ready_file", None)
    health_host: str = "127.0.0.1"
    health_port: int = Field(default=0, ge=0, le=65535, description="0 takes a free one")
    observe_every_s: float = Field(default=15.0, gt=0, description="between two looks at what metrics tell")
    retry_base_s: float = Field(default=5.0, gt=0, description="wait before the second delivery; doubles each time")
    shutdown_grace_s: float = Field(default=20.0, ge=0, description="how long work under way may take at the end")

    @model_validator(mode="after")
    def _certificates_can_be_used(self) -> Self:
        self.tls_options()
        return self

    def tls_options(self) -> dict[str, Any]:
        """What a connection is told of certificates; raises `BadCertificates`."""
        return tls_options(self.nats_ca_file, self.nats_cert_file, self.nats_key_file)

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
    variables = _variables(prefix, settings_class)
    strangers = _unknown_variables(prefix, set(variables.values())) + _misspelt_variables(prefix, variables)
    if strangers:
        raise BadSettings(strangers)
    try:
        settings: S = bound(**overrides)
    except ValidationError as error:
        raise BadSettings(_problems(error, variables, file.name)) from None
    except (SettingsError, ValueError) as error:
        raise BadSettings([f"{file.name}: {type(error).__name__}"]) from None
    return settings


def _variables(prefix: str, settings_class: type[BaseSettings]) -> dict[str, str]:
    """The variable that sets a field, under the field's name and under the name by which errors call it."""
    variables: dict[str, str] = {}
    for name, field in settings_class.model_fields.items():
        alias = field.validation_alias
        variables[name] = alias if isinstance(alias, str) else f"{prefix}{name.upper()}"
        if isinstance(alias, str):
            variables[alias] = alias
    return variables


def _unknown_variables(prefix: str, known: Set[str]) -> list[str]:
    ours = (name for name in os.environ if name.upper().startswith(prefix) and name != f"{prefix}{CONFIG_DIR}")
    return sorted(f"{name}: no such setting" for name in ours if name.upper().split("__")[0] not in known)


def _misspelt_variables(prefix: str, variables: Mapping[str, str]) -> list[str]:
    """Others may have variables of their own; one that resembles a shared one was meant for us."""
    shared = {variable for variable in variables.values() if not variable.startswith(prefix)}
    others = (name for name in os.environ if name.upper().startswith("STEMMA_") and name.upper() not in shared)
    found = {
        name: get_close_matches(name.upper(), shared, 1, RESEMBLANCE)
        for name in others
        if not name.upper().startswith(prefix)
    }
    return sorted(f"{name}: no such setting; {near[0]} is one" for name, near in found.items() if near)


def _problems(error: ValidationError, variables: Mapping[str, str], file: str) -> list[str]:
    """One line a problem, with the places where it can come from, and without the value: it may be a secret."""
    lines = []
    for misfit in misfits(error):
        field, *inner = misfit.field.split(".")
        name = ".".join([field.removeprefix("STEMMA_"), *inner]).lower()
        variable = variables.get(field)
        inside = "".join(f"__{part.upper()}" for part in inner)
        places = f"{file} or {variable}{inside}" if variable else file
        lines.append(f"{name}: {misfit.message} ({places})")
    return lines
