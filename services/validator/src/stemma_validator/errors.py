"""Why a draft could not be checked. The words of each are what the reader of the report gets."""

import contextlib
from collections.abc import Iterator

_MAX_STDERR = 200


class ValidationImpossible(Exception):
    """A draft could not be checked; ``str()`` of it names the cause."""


class DraftNotFound(ValidationImpossible):
    def __init__(self, name: str) -> None:
        super().__init__(f"{name} not found")


class DraftDamaged(ValidationImpossible):
    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is damaged")


class DraftNotText(ValidationImpossible):
    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not UTF-8 text")


class DraftTooLarge(ValidationImpossible):
    def __init__(self, name: str, limit: int) -> None:
        super().__init__(f"{name} is larger than {limit} bytes")


class HistoryTooLarge(ValidationImpossible):
    def __init__(self, limit: int) -> None:
        super().__init__(f"the draft and those before it are larger than {limit} bytes")


class EngineNotFound(ValidationImpossible):
    def __init__(self, engine: str) -> None:
        super().__init__(f"{engine} not found")


class ValidationTimeout(ValidationImpossible):
    def __init__(self, seconds: float) -> None:
        super().__init__(f"Validation timeout ({seconds:g}s)")


class ValidationOutOfMemory(ValidationImpossible):
    def __init__(self, memory_mb: int) -> None:
        super().__init__(f"Validation out of memory ({memory_mb} MB)")


class EngineCrashed(ValidationImpossible):
    """The program ended with a status that says nothing about the draft; a negative one is a signal."""

    def __init__(self, engine: str, status: int | None, stderr: bytes) -> None:
        super().__init__(_with_stderr(f"{engine} crashed (status {status})", stderr))


class OutputUnreadable(ValidationImpossible):
    def __init__(self, engine: str, stderr: bytes) -> None:
        super().__init__(_with_stderr(f"{engine} output unreadable", stderr))


def _with_stderr(cause: str, stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return f"{cause}: {lines[0][:_MAX_STDERR]}" if lines else cause


class Unfinished:
    """What kept checks of one draft from coming to an end; the others go on."""

    def __init__(self) -> None:
        self.causes: list[ValidationImpossible] = []

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Ends the block, not its surroundings, if something in it is impossible."""
        try:
            yield
        except ValidationImpossible as cause:
            self.causes.append(cause)
