"""The compose file is one, says who may do what, and asks for nothing that `make env` does not write."""

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from composition import FILE, ROOT, VARIABLE, VariableMissing, fresh_variables, load
from images import instructions

VARIABLES = fresh_variables()
SERVICES: dict[str, Any] = dict(load(VARIABLES).services)
BUILT = [name for name, service in SERVICES.items() if "build" in service]
LASTING = [name for name, service in SERVICES.items() if service["restart"] == "unless-stopped"]


def test_the_files_are_such_by_the_schema_of_the_compose_specification(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [program, "--builtin-schema", "vendor.compose-spec"]
    good = [str(FILE), str(ROOT / "deploy" / "observability" / "compose.yaml")]
    assert subprocess.run([*command, *good], check=False, capture_output=True).returncode == 0
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(FILE.read_text(encoding="utf-8").replace("restart:", "restarts:"))
    assert subprocess.run([*command, str(wrong)], check=False, capture_output=True).returncode == 1


def test_every_variable_of_the_file_is_written_by_make_env_and_the_other_way_round() -> None:
    named = VARIABLE.finditer(FILE.read_text(encoding="utf-8"))
    assert {match["name"] for match in named if match["kind"] != ":-"} == VARIABLES.keys()


def test_the_guide_gets_the_password_of_a_caller_out_of_what_make_env_writes(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in VARIABLES.items()))
    [line] = re.findall(r"^export STEMMA_NATS_PASSWORD=.*$", (ROOT / "docs/deploy.md").read_text(), re.MULTILINE)
    shown = subprocess.run(
        ["bash", "-c", f"{line}; printf %s $STEMMA_NATS_PASSWORD"], cwd=tmp_path, capture_output=True, check=True
    )
    assert shown.stdout.decode() == VARIABLES["STEMMA_PASSWORD_CLIENT_DEFAULT"]


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(VariableMissing, match=f"^{name}$"):
        load({key: value for key, value in VARIABLES.items() if key != name})


def test_the_server_gets_the_passwords_of_its_configuration_and_no_other() -> None:
    text = (ROOT / "deploy" / "nats" / "nats.conf").read_text(encoding="utf-8")
    assert set(re.findall(r"\$(STEMMA_\w+)", text)) == SERVICES["nats"]["environment"].keys()
    assert "sync_interval: always" in text


def test_nobody_gets_the_password_of_another() -> None:
    for name in BUILT:
        known = " ".join(str(value) for value in SERVICES[name].get("environment", {}).values())
        own = {VARIABLES[key] for key in VARIABLES if VARIABLES[key] in known}
        users = {SERVICES[name]["environment"].get("STEMMA_NATS_USER", "postgres").replace("-", "_").upper()}
        users |= {"POSTGRES"} if name.startswith("generation-graph") else set()
        keys = {VARIABLES["STEMMA_COOKIE_KEYS"]} if name == "gateway" else set()
        assert own <= {VARIABLES[f"STEMMA_PASSWORD_{user}"] for user in users} | keys, name


@pytest.mark.parametrize("name", SERVICES)
def test_what_lasts_is_restarted_and_checked_and_what_ends_is_waited_for(name: str) -> None:
    service = SERVICES[name]
    if name in LASTING:
        assert service["healthcheck"]["test"][0] == "CMD"
        assert name not in BUILT or service["init"], "as process 1 it would outlive a loop that stands still"
    else:
        assert service["restart"] == "on-failure"
        waiting = [s["depends_on"][name]["condition"] for s in SERVICES.values() if name in s.get("depends_on", {})]
        assert waiting
        assert set(waiting) == {"service_completed_successfully"}


@pytest.mark.parametrize("name", BUILT)
def test_our_images_are_confined(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert [mount for mount in service.get("volumes", []) if not mount.endswith("/admitted:ro")] == []


@pytest.mark.parametrize("name", BUILT)
def test_the_last_stage_of_an_image_holds_an_environment_and_nothing_that_builds(name: str) -> None:
    steps = instructions(ROOT / SERVICES[name]["build"]["dockerfile"])
    last = steps[max(number for number, (keyword, _) in enumerate(steps) if keyword == "FROM") :]
    assert [rest for keyword, rest in last if keyword == "COPY"] == ["--from=build /app /app"]
    assert [rest for keyword, rest in last if keyword == "USER"] == ["stemma"]
    assert not [rest for keyword, rest in last if keyword == "RUN" and "useradd" not in rest]


def test_only_the_loopback_address_of_the_machine_is_published() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    assert [port for port in published if not port.startswith("127.0.0.1:")] == []


def test_every_mounted_file_is_there_and_read_only() -> None:
    mounts = [volume for service in SERVICES.values() for volume in service.get("volumes", []) if volume[0] == "."]
    assert [mount for mount in mounts if not (ROOT / mount.split(":")[0]).is_file() or mount[-3:] != ":ro"] == []


def test_no_image_is_built_with_passwords_or_keys_in_reach() -> None:
    files = {".env", *(file["path"] for service in SERVICES.values() for file in service.get("env_file", []))}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert [file for file in files if not any(fnmatch(file, pattern) for pattern in ignored)] == []
