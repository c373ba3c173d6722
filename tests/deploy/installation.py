"""The services of the compose file as processes, each with the command and the variables that the file gives it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from composition import ROOT, Composition
from images import Image
from stemma_provisioning.server import find_binary
from stemma_testkit.otlp import OtlpReceiver, otlp_receiver
from stemma_testkit.postgres import postgres_server

READY_WITHIN_S = 120.0
STOP_WITHIN_S = 30.0
POLL_S = 0.1
CHECK_S = 0.2
NATS_CONFIGURATION = "/etc/nats/nats.conf"


@dataclass
class Installation:
    """Everything that the file names, running."""

    composition: Composition
    spans: OtlpReceiver
    folder: Path
    images: Mapping[str, Image]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """Run a one-shot to its end, or start a service."""
        process = self._start(name)
        if "healthcheck" in self.composition.services[name]:
            self.processes[name] = process
        else:
            assert process.wait(READY_WITHIN_S) == 0, self.log(name)

    def wait(self) -> None:
        """Wait until the health check of every service passes."""
        deadline = time.monotonic() + READY_WITHIN_S
        for name, process in self.processes.items():
            while not self.healthy(name):
                assert process.poll() is None, self.log(name)
                assert time.monotonic() < deadline, self.log(name)
                time.sleep(CHECK_S)

    def healthy(self, name: str) -> bool:
        """Run the health check of a service."""
        program, *arguments = self.composition.check(name)
        command = [str(self.images[name].programs / program), *arguments]
        return subprocess.run(command, check=False, capture_output=True, env=self._environment(name)).returncode == 0

    def stop(self) -> dict[str, int]:
        """Tell every service to end, all at once; their exit statuses."""
        for process in self.processes.values():
            process.terminate()
        return {name: process.wait(STOP_WITHIN_S) for name, process in self.processes.items()}

    def log(self, name: str) -> str:
        """What a service has printed."""
        return (self.folder / f"{name}.log").read_text()

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        home = self.folder / name
        home.mkdir()
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                self.images[name].command(self.composition.command(name)),
                env=self._environment(name),
                cwd=home,
                stdout=log,
                stderr=log,
            )

    def _environment(self, name: str) -> dict[str, str]:
        """A container sees what its image and the file say, and nothing of the machine."""
        path = f"{self.images[name].programs}:{os.defpath}"
        own = {"PATH": path, "HOME": str(self.folder / name), "PYTHONUNBUFFERED": "1"}
        given = self.composition.environment(name)
        if "STEMMA_READY_FILE" in given:
            given["STEMMA_READY_FILE"] = str(self.folder / name / "ready")
        return own | given


@contextmanager
def installation(composition: Composition, folder: Path, images: Mapping[str, Image]) -> Iterator[Installation]:
    """Start everything in the order of the file, and stop it again."""
    with ExitStack() as stack:
        receiver = stack.enter_context(otlp_receiver())
        composition = composition.at("jaeger", 4318, receiver.endpoint)
        stack.enter_context(_nats(composition, folder))
        _postgres(stack, composition)
        running = Installation(composition, receiver, folder, images)
        stack.callback(running.stop)
        for name in composition.in_order():
            if name in images:
                running.start(name)
        running.wait()
        yield running


@contextmanager
def _nats(composition: Composition, folder: Path) -> Iterator[None]:
    """The committed configuration with a folder of ours for the volume; ports are options, which win."""
    service = composition.services["nats"]
    mounts = dict(volume.split(":")[:2][::-1] for volume in service["volumes"])
    text = (ROOT / mounts[NATS_CONFIGURATION]).read_text(encoding="utf-8")
    assert text.count('"/data"') == 1
    assert mounts["/data"] == "nats-data"
    configuration = folder / "nats.conf"
    configuration.write_text(text.replace('"/data"', f'"{folder / "nats-data"}"'))
    arguments = [str(configuration) if a == NATS_CONFIGURATION else a for a in service["command"]]
    port, monitoring = (str(composition.ports["nats", number]) for number in (4222, 8222))
    with (
        (folder / "nats.log").open("wb") as log,
        subprocess.Popen(
            [find_binary(), *arguments, "-a", "127.0.0.1", "-p", port, "-m", monitoring],
            env=composition.environment("nats"),
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            _wait_for(composition.check("nats")[-1], process)
            yield
        finally:
            process.terminate()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        try:
            urlopen(url, timeout=2).close()
        except URLError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(POLL_S)
        else:
            return


def _postgres(stack: ExitStack, composition: Composition) -> None:
    environment = composition.environment("postgres")
    server = stack.enter_context(
        postgres_server(
            environment["POSTGRES_PASSWORD"], composition.ports["postgres", 5432], user=environment["POSTGRES_USER"]
        )
    )
    server.create_database(environment["POSTGRES_DB"])
