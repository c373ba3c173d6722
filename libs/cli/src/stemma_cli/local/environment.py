"""What of the surroundings a service gets: keys of model providers only where models are called."""

from __future__ import annotations

from collections.abc import Mapping

from stemma_contracts import subjects

CALL_MODELS = (subjects.GENERATION, subjects.EDITOR)
_ALL = (*subjects.SERVICES, subjects.GATEWAY)
_OURS, _CHECKPOINTS, _PASSWORDS = "STEMMA_", "STEMMA_CHECKPOINT_", "STEMMA_PASSWORD_"
_SYSTEM = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP VIRTUAL_ENV LD_LIBRARY_PATH "
    "SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY".split()
)
_FAMILIES = ("LC_", "PYTHON", "COV_", "COVERAGE_", "OTEL_", "XDG_")


def environment_of(service: str, surroundings: Mapping[str, str]) -> dict[str, str]:
    """The variables that a service is started with.

    Providers call their keys as they like, so a service that calls no model gets what is known to be no key; and
    none gets what is set for another one alone.
    """
    return {name: value for name, value in surroundings.items() if _is_for(service, name.upper())}


def _is_for(service: str, name: str) -> bool:
    if name.startswith(_CHECKPOINTS):
        return service == subjects.GENERATION
    if name.startswith(_PASSWORDS):
        return False
    if name.startswith(_OURS):
        return not any(name.startswith(_own(other)) for other in _ALL if other != service)
    return service in CALL_MODELS or name in _SYSTEM or name.startswith(_FAMILIES)


def _own(service: str) -> str:
    return f"{_OURS}{service.upper().replace('-', '_')}_"
