"""Write the programs of docker-compose.yml from the table that the chart reads, deploy/kubernetes/services.yaml.

usage: python deploy/compose/programs.py            write them, between the two marks
       python deploy/compose/programs.py --check    exit 1 if the committed file differs
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "deploy" / "kubernetes" / "services.yaml"
COMPOSE = ROOT / "docker-compose.yml"
BEGIN = "  # Made by `make compose` from deploy/kubernetes/services.yaml, up to the next such line.\n"
END = "  # Made by `make compose` up to here.\n"
SERVERS = {
    "nats": {"STEMMA_NATS_URL": "nats://nats:4222"},
    "otlp": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://jaeger:4318"},
}
WHOLE = {"STEMMA_CHECKPOINT_DSN": "postgresql://stemma:${STEMMA_PASSWORD_POSTGRES:?run make env}@postgres:5432/stemma"}
"""Secrets that a cluster keeps in one piece, and the compose file puts together from what `make env` writes."""
FOLDERS = {"admitted": "${STEMMA_ADMITTED:?run make env}"}
"""Where a service keeps what it has in hand, on a volume of its own: `/tmp` is gone with each start of a container."""


def main(arguments: list[str]) -> int:
    """Write or check; returns the exit status."""
    before = COMPOSE.read_text(encoding="utf-8")
    after = rendered(before, yaml.safe_load(TABLE.read_text(encoding="utf-8")))
    if not arguments:
        COMPOSE.write_text(after, encoding="utf-8")
    elif before != after:
        print("docker-compose.yml is not as deploy/kubernetes/services.yaml says: run `make compose`", file=sys.stderr)
        return 1
    return 0


def rendered(compose: str, table: Mapping[str, Any]) -> str:
    entries = "\n".join(_entry(name, program, table) for name, program in table.items())
    pattern = re.compile(f"(?<={re.escape(BEGIN)}).*(?={re.escape(END)})", re.DOTALL)
    return pattern.sub(lambda _: entries, compose)


def _entry(name: str, program: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    lines = ["<<: *service" if "health" in program else "<<: *confined"]
    lines += ["build:", *_indented(_build(**program["image"]))]
    lines += [f"command: {_flow(program['command'])}"] if "command" in program else []
    lines += ["restart: on-failure"] if program["runs"] == "once" else []
    lines += ["depends_on:", *_indented(_awaited(after, table) for after in program["after"])]
    if "serves" in program:
        lines += [f"ports: {_flow(['127.0.0.1:{0}:{0}'.format(program['serves'])])}"]
    if "optional" in program:
        files = ", ".join(f"{{ path: {name}.env, required: false }}" for name in program["optional"])
        lines += [f"env_file: [{files}]"]
    lines += ["environment:", *_indented(f"{key}: {_scalar(value)}" for key, value in _environment(program).items())]
    if volumes := [f"{FOLDERS[of]}:{at}:ro" for at, of in program.get("mounts", {}).items()]:
        lines += [f"volumes: {_flow(volumes)}"]
    return "\n".join([f"  {name}:", *(f"    {line}" for line in lines), ""])


def _build(folder: str, package: str, program: str = "") -> list[str]:
    arguments = [f"FOLDER: {folder}", f"PACKAGE: {package}", *([f"PROGRAM: {program}"] if program else [])]
    return ["context: .", "dockerfile: deploy/Dockerfile", f"args: {{ {', '.join(arguments)} }}"]


def _awaited(name: str, table: Mapping[str, Any]) -> str:
    ends = name in table and table[name]["runs"] == "once"
    return f"{name}: {{ condition: {'service_completed_successfully' if ends else 'service_healthy'} }}"


def _environment(program: Mapping[str, Any]) -> dict[str, str]:
    reached = {key: value for server in program["connects"] for key, value in SERVERS.get(server, {}).items()}
    secrets = {key: WHOLE.get(of, f"${{{of}:?run make env}}") for key, of in program.get("secrets", {}).items()}
    defaults = {key: f"${{{key}:-{value}}}" for key, value in program.get("defaults", {}).items()}
    return {**reached, **program.get("variables", {}), **defaults, **secrets}


def _scalar(value: str) -> str:
    """Plain where it may be, and never anything else than a string."""
    plain = re.fullmatch(r"[\w${/][\w${}/:.?@ -]*", value) and yaml.safe_load(value) == value
    return value if plain else json.dumps(value)


def _flow(values: list[str]) -> str:
    return json.dumps(values)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
