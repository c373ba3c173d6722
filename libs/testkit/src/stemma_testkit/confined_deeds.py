"""What a confined call may try to do; the process that is prepared for calls imports it from here."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

SLEEPER = "import time; time.sleep(600)"


_prepared_at: list[int] = []


def prepare() -> None:
    _prepared_at.append(os.nice(0))


def write_greeting(folder: Path) -> None:
    (folder / "out").write_text("hello")
    (folder / "nice").write_text(str(os.nice(0)))
    (folder / "prepared-at").write_text(str(_prepared_at[-1]))
    with suppress(OSError):  # the system does not share the processor out among sessions
        (folder / "session").write_text(Path("/proc/self/autogroup").read_text())


def write_surroundings(folder: Path) -> None:
    """Tell what is in reach: variables, as they are and as they were at the start, what is open, and who looks."""
    (folder / "environment").write_text("\n".join(f"{name}={value}" for name, value in os.environ.items()))
    (folder / "first").write_bytes(Path("/proc/self/environ").read_bytes())
    own = sorted(Path("/proc/self/fd").iterdir(), key=lambda path: int(path.name))
    (folder / "open").write_text("\n".join(os.readlink(path) for path in own if path.exists()))
    (folder / "keeper").write_text(str(os.getppid()))


def sleep(folder: Path) -> None:
    (folder / "begun").write_text(str(os.getpid()))
    time.sleep(600)


def leave_children(folder: Path) -> None:
    """Start a process in a session of its own, which starts another one, and end before them."""
    nested = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}, {str(folder)!r}])"
    command = [sys.executable, "-c", f"{nested}; time.sleep(600)", str(folder)]
    subprocess.Popen(command, start_new_session=True)


def leave_children_and_sleep(folder: Path) -> None:
    leave_children(folder)
    sleep(folder)


def fill_memory(_folder: Path) -> None:
    bytearray(10**10)


def fill_disk(folder: Path) -> None:
    (folder / "out").write_bytes(bytes(10_000_000))


def compute(_folder: Path) -> None:
    while True:
        pass


def have_computed(folder: Path) -> None:
    """The same by the hands of others."""
    while True:
        subprocess.run([sys.executable, "-c", "sum(range(4_000_000))"], check=True, cwd=folder)


def fail(_folder: Path) -> None:
    """Raise words that nobody is to read."""
    raise ValueError("the text that was read")


def die(_folder: Path) -> None:
    os.kill(os.getpid(), 11)


def count_objects(folder: Path) -> None:
    """Leave something behind in the process, and tell what was there before."""
    calls: list[bytes] = sys.__dict__.setdefault("left_behind", [])
    (folder / "out").write_text(str(len(calls)))
    calls.append(b"secret")
