"""Exit codes, and the error that carries one."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the exit code of every verb means."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REJECTED = 3
    NO_SERVER = 4
    UNFINISHED = 5
    INTERRUPTED = 130


class CliError(Exception):
    """An error for the person at the terminal: what is wrong and, as a hint, what to do next."""

    def __init__(self, code: ExitCode, message: str, hint: str = "") -> None:
        self.code = code
        self.hint = hint
        super().__init__(message)
