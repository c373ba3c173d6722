"""Images, the compose file and the server's configuration agree with the packages and the permissions."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import closure
import pytest
import yaml
from source_tree import PACKAGES, ROOT, SERVICES, Package
from stemma_provisioning.config import user_names

IMAGES = [*SERVICES, next(p for p in PACKAGES if p.name == "stemma-provisioning")]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
each_image = pytest.mark.parametrize("package", IMAGES, ids=lambda p: p.name)
each_service = pytest.mark.parametrize("service", SERVICES, ids=lambda p: p.name)


def dockerfile(package: Package) -> str:
    return (package.folder / "Dockerfile").read_text(encoding="utf-8")


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.req("E1")
@each_image
def test_an_image_is_built_from_the_closure_of_its_package_alone(package: Package) -> None:
    text = dockerfile(package)
    copied = [
        line.split()[1] for line in text.splitlines() if line.startswith("COPY ") and line.split()[1] == line.split()[2]
    ]
    own = closure.own_packages()
    assert copied == [str(own[name][0].relative_to(ROOT)) for name in closure.own_closure([package.name])]
    assert text.count(package.name) >= 2
    assert text.count("--require-hashes") == 2


@each_image
def test_an_image_does_not_run_as_root(package: Package) -> None:
    final = dockerfile(package).rpartition("FROM ")[2]
    assert "USER stemma" in final


@each_image
def test_images_differ_only_in_what_they_hold(package: Package) -> None:
    def shape(of: Package) -> list[str]:
        lines = [line for line in dockerfile(of).splitlines() if not line.startswith(("#", "COPY ", "ENTRYPOINT"))]
        return [line.replace(of.name, "NAME") for line in lines]

    assert shape(package) == shape(IMAGES[0])


@pytest.mark.req("E1", "E7")
@each_service
def test_compose_runs_every_service_with_credentials_of_its_own(service: Package) -> None:
    name = service.folder.name
    entry = COMPOSE["services"][name]
    prefix = f"STEMMA_{name.upper().replace('-', '_')}"
    assert entry["build"]["dockerfile"] == f"services/{name}/Dockerfile"
    assert entry["restart"] == "unless-stopped"
    assert entry["healthcheck"]["test"][0] == "CMD"
    assert entry["environment"]["STEMMA_NATS_USER"] == name
    assert f"STEMMA_PASSWORD_{name.upper().replace('-', '_')}:?" in entry["environment"]["STEMMA_NATS_PASSWORD"]
    assert entry["environment"][f"{prefix}_HEALTH_PORT"] == "8080"


def test_the_committed_server_configuration_is_as_rendered() -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    assert render.TARGET.read_text(encoding="utf-8") == render.rendered()


@pytest.mark.req("P16")
def test_the_server_takes_the_configuration_with_passwords_from_the_environment() -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    passwords = dict(line.split("=") for line in render.environment().splitlines())
    assert passwords.keys() == {render.variable(user) for user in [*user_names(), render.POSTGRES]}
    server = Path(sys.executable).with_name("nats-server")
    command = [str(server), "-t", "-c", str(render.TARGET)]
    with_passwords = subprocess.run(command, check=False, env=os.environ | passwords, capture_output=True, text=True)
    assert with_passwords.returncode == 0, with_passwords.stderr
    without = subprocess.run(command, check=False, capture_output=True, text=True)
    assert without.returncode != 0


def test_make_lists_every_verb() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    verbs = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    listed = subprocess.run(["make", "-s", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert [line.split()[1] for line in listed.splitlines()] == verbs
