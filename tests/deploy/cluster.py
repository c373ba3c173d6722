"""The pods of the rendered chart as processes: with their variables, and confined to what their policies allow."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from chart import TABLE, Pod, of_kind, pods
from composition import ROOT
from policies import Place, allowed
from stemma_provisioning.server import find_binary
from stemma_testkit.serving import free_port

READY_WITHIN_S = 300.0
STOP_WITHIN_S = 30.0
POLL_S = 0.5
CONFINED = Path(__file__).with_name("confined.py")
MOUNTS = re.compile(r"(?<![\w./])/(?:tmp|admitted|data|etc/nats)\b")
ADDRESS = re.compile(r"\b(?P<host>stemma-nats|traces\.example|db\.example):(?P<port>\d+)\b")
HOSTS = {"stemma-nats": "nats", "traces.example": "otlp", "db.example": "postgres"}
CONNECTING = """
import json, socket, sys
def tried(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except PermissionError:
        return False
    return True
print(json.dumps([tried(int(port)) for port in sys.argv[1:]]))
"""


@dataclass
class Cluster:
    """The pods of a chart on this machine. ``ports`` are those of this machine for the ports of a place."""

    objects: Sequence[Mapping[str, Any]]
    secrets: Mapping[str, str]
    ports: dict[tuple[str, int], int]
    places: Mapping[str, Place]
    admitted: Path
    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def pods(self) -> dict[str, Pod]:
        """Those of the chart, by the names of their programs."""
        return {pod.name: pod for pod in pods(self.objects)}

    def start(self, name: str) -> None:
        """Run a Job to its end, or start what always runs."""
        pod = self.pods[name]
        self._mount(pod)
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                self.confined(pod, self.command(pod)), env=self.environment(pod), stdout=log, stderr=log, cwd="/"
            )
        if pod.kind == "Job":
            assert process.wait(READY_WITHIN_S) == 0, self.log(name)
        else:
            self.processes[name] = process

    def wait(self, name: str) -> None:
        """Wait until all probes of a pod succeed."""
        deadline = time.monotonic() + READY_WITHIN_S
        while not all(self.probe(name, probe) for probe in ("startupProbe", "readinessProbe", "livenessProbe")):
            assert self.processes[name].poll() is None, self.log(name)
            assert time.monotonic() < deadline, self.log(name)
            time.sleep(POLL_S)

    def probe(self, name: str, which: str) -> bool:
        """Do what the kubelet does for a probe of a pod."""
        pod = self.pods[name]
        probe = pod.container[which]
        if "exec" in probe:
            command = self.confined(pod, self._located(pod, probe["exec"]["command"]))
            return subprocess.run(command, check=False, env=self.environment(pod)).returncode == 0
        [number] = [p["containerPort"] for p in pod.container["ports"] if p["name"] == probe["httpGet"]["port"]]
        url = f"http://127.0.0.1:{self.ports[name, number]}{probe['httpGet']['path']}"
        try:
            with urlopen(url, timeout=probe["timeoutSeconds"]) as answer:
                return bool(answer.status == 200)
        except (URLError, ConnectionError, TimeoutError):
            return False

    def reached(self, name: str) -> set[tuple[str, int]]:
        """The places that a process in a pod can connect to, of those where somebody listens."""
        pod, targets = self.pods[name], [target for target in self.ports if target[0] != name]
        numbers = [str(self.ports[target]) for target in targets]
        command = self.confined(pod, [sys.executable, "-c", CONNECTING, *numbers])
        done = subprocess.run(command, check=True, capture_output=True)
        return {target for target, reached in zip(targets, json.loads(done.stdout), strict=True) if reached}

    def command(self, pod: Pod) -> list[str]:
        """What runs in a pod, with this machine's addresses and folders."""
        arguments = pod.container["args"]
        if pod.name == "nats":
            ports = [str(self.ports["nats", number]) for number in (4222, 8222)]
            return [
                find_binary(),
                *(self.here(pod, argument) for argument in arguments),
                "-p",
                ports[0],
                "-m",
                ports[1],
            ]
        image = TABLE[pod.name]["image"]
        return self._located(pod, [image.get("program", image["package"]), *arguments])

    def _located(self, pod: Pod, command: Sequence[str]) -> list[str]:
        program, *arguments = command
        return [str(Path(sys.executable).with_name(program)), *(self.here(pod, argument) for argument in arguments)]

    def confined(self, pod: Pod, command: Sequence[str]) -> list[str]:
        """A command as it runs in a pod: the kernel lets it write, listen and connect as the chart says."""
        writable = [self.here(pod, folder) for folder in pod.writable]
        bound = [self.ports[pod.name, port["containerPort"]] for port in pod.container.get("ports", [])]
        policies, own = of_kind(self.objects, "NetworkPolicy"), self.places[pod.name]
        connected = [
            here for (name, port), here in self.ports.items() if allowed(policies, own, self.places[name], port)
        ]
        options = (("--write", writable), ("--bind", bound), ("--connect", connected))
        given = [text for option, values in options for text in (option, *map(str, values))]
        return [sys.executable, str(CONFINED), *given, "--", *command]

    def environment(self, pod: Pod) -> dict[str, str]:
        """What a container sees; its home is read-only as everything else."""
        root = self._root(pod)
        own = {"PATH": os.defpath, "HOME": str(root), "TMPDIR": str(root / "tmp"), "PYTHONUNBUFFERED": "1"}
        variables = {entry["name"]: self._value(pod, entry) for entry in pod.container["env"]}
        return own | {name: self.here(pod, value) for name, value in variables.items()}

    def _value(self, pod: Pod, entry: Mapping[str, Any]) -> str:
        source = entry.get("valueFrom", {})
        if "fieldRef" in source:
            assert source["fieldRef"] == {"fieldPath": "metadata.name"}
            return f"stemma-{pod.name}-0"
        return self.secrets[source["secretKeyRef"]["key"]] if source else entry["value"]

    def here(self, pod: Pod, text: str) -> str:
        """A text of a pod with this machine's folders, addresses and ports."""
        if text.isdecimal():
            return str(self.ports.get((pod.name, int(text)), text))
        text = ADDRESS.sub(lambda found: f"127.0.0.1:{self.ports[HOSTS[found['host']], int(found['port'])]}", text)
        return MOUNTS.sub(lambda found: f"{self._root(pod)}{found[0]}", text)

    def stop(self) -> dict[str, int]:
        """End everything, the server last; the exit statuses."""
        for name in [name for name in self.processes if name != "nats"]:
            self.processes[name].terminate()
        statuses = {name: process.wait(STOP_WITHIN_S) for name, process in self.processes.items() if name != "nats"}
        if server := self.processes.get("nats"):
            server.terminate()
            statuses["nats"] = server.wait(STOP_WITHIN_S)
        return statuses

    def log(self, name: str) -> str:
        """What a pod has printed."""
        return self._log(name).read_text()

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _root(self, pod: Pod) -> Path:
        return self.folder / "roots" / pod.name

    def _mount(self, pod: Pod) -> None:
        """Make the files that are mounted into a container, those of Secrets as the kubelet lays them."""
        for mount in pod.container["volumeMounts"]:
            at = Path(f"{self._root(pod)}{mount['mountPath']}")
            (at.parent if "subPath" in mount else at).mkdir(parents=True, exist_ok=True)
        if pod.name == "admission":
            _project(
                {file.name: file.read_text() for file in self.admitted.glob("*.json")}, self._root(pod) / "admitted"
            )
        if pod.name == "nats":
            text = (ROOT / "deploy" / "nats" / "nats.conf").read_text(encoding="utf-8")
            _project({"nats.conf": self.here(pod, text)}, self._root(pod) / "etc" / "nats" / "secret")
            [config] = of_kind(self.objects, "ConfigMap")
            (self._root(pod) / "etc" / "nats" / "server.conf").write_text(config["data"]["server.conf"])


def _project(files: Mapping[str, str], folder: Path) -> None:
    data = folder / "..2026_01_01"
    data.mkdir()
    (folder / "..data").symlink_to(data.name)
    for name, text in files.items():
        (data / name).write_text(text)
        (folder / name).symlink_to(Path("..data", name))


@contextmanager
def cluster(objects: Sequence[Mapping[str, Any]], **given: Any) -> Iterator[Cluster]:
    """Start everything that a chart makes, in the order of the table, and end it again."""
    with ExitStack() as stack:
        running = Cluster(objects, **given)
        for pod in running.pods.values():
            running.ports |= {(pod.name, p["containerPort"]): free_port() for p in pod.container.get("ports", [])}
        stack.callback(running.stop)
        for name in ["nats", *TABLE]:
            running.start(name)
            if name == "nats":
                running.wait(name)
        for name in running.processes:
            running.wait(name)
        yield running
