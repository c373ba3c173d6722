from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest
from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.local import llama
from stemma_cli.local.folder import DataFolder
from stemma_cli.local.foreground import how_to_begin, how_to_connect, run_demo, run_demo_desk, run_in_foreground
from stemma_cli.local.model import (
    KeptChecks,
    Model,
    abilities_of,
    check_here,
    chosen_model,
    running_model,
    variables_by_check,
    verdict_of,
)
from stemma_cli.local.run import SERVICES_GROUP
from stemma_cli.local.supervisor import WRITING, LocalStemma
from stemma_contracts import subjects
from stemma_contracts.model_check import ModelCheck

STEMMA = [sys.executable, "-c", "from stemma_cli.main import main; main()"]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("STEMMA_")}


@pytest.fixture
def up(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command, env = [*STEMMA, "up", "--json"], environment() | {"STEMMA_TENANT": "team"}
    started = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
    yield started
    if started.poll() is None:
        started.terminate()
        started.wait(60)
    assert started.stdout is not None
    started.stdout.close()


@pytest.fixture
def run(stemma: str, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command beside it, in its folder."""

    def of(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [stemma, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)

    return of


def alive(pid: int) -> bool:
    return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0


@pytest.mark.full
@pytest.mark.timeout(120)
def test_up_tells_when_it_is_ready_serves_the_other_verbs_of_its_tenant_and_leaves_nothing_behind(
    up: subprocess.Popen[str], run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    assert up.stdout is not None
    lines = [json.loads(next(up.stdout))]
    while lines[-1]["part"] != "stemma":
        lines.append(json.loads(next(up.stdout)))
    state = json.loads((tmp_path / ".stemma" / "stemma.json").read_text())
    pids = [state["pid"], state["nats_pid"], *state["services"].values()]

    listed, second = run("list"), run("up")
    up.send_signal(signal.SIGTERM)
    rest = up.stdout.read()

    assert [line["part"] for line in lines if line["message"] == "ready"] == ["services", "stemma"]
    assert lines[-1] == {"part": "stemma", "message": "ready"}
    assert (listed.returncode, listed.stdout, state["tenant"]) == (0, "", "team")
    assert (second.returncode, second.stderr.strip().endswith(f"(pid {state['pid']})")) == (1, True)
    assert (up.wait(60), json.loads(rest.splitlines()[-1])) == (0, {"part": "stemma", "message": "stopped"})
    assert not any(map(alive, pids))
    assert run("list").returncode == 4


def test_up_says_where_other_verbs_find_data_that_is_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert how_to_begin(Path(".stemma")) == "Try `stemma new proposal --sample` in this folder."
    assert "STEMMA_DATA_DIR='/data/my team' stemma new" in how_to_begin(Path("/data/my team"))


def test_what_the_demo_says_as_json_is_its_files_alone(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    told = run("demo", "--kind", "poem", "--json")
    assert (told.returncode, told.stdout) == (2, "")
    assert "no demonstration of 'poem'" in told.stderr


@pytest.mark.parametrize(
    ("data", "reason"),
    [("taken", "a file is in the way"), ("taken/x", "Not a directory"), ("used", "(logs)")],
)
def test_a_folder_that_cannot_hold_data_is_wrong_usage_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "logs").touch()

    code = run_in_foreground(Path(data))

    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2
    assert line.startswith(f"error: cannot keep data in {data}: ")
    assert reason in line
    assert line.endswith("name another folder by --data or STEMMA_DATA_DIR")


def test_damaged_passwords_refuse_the_start_by_their_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = tmp_path / "credentials.json"
    damaged.write_text('{"orchestrator": ')

    code = run_in_foreground(tmp_path)

    told = f"error: {damaged} is damaged: remove it, and new passwords are made\n"
    assert (code, capsys.readouterr().err) == (1, told)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [("STEMMA_TENANT", "a*b", "must match"), ("STEMMA_TENANT_CONNECTIONS", "many", "must be a number")],
)
def test_a_wrong_tenant_or_bound_refuses_the_start_by_its_variable(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    words: str,
) -> None:
    monkeypatch.setenv(variable, value)

    code = run_in_foreground(tmp_path / "data")

    assert (code, (tmp_path / "data").exists()) == (2, False)
    assert capsys.readouterr().err.startswith(f"error: {variable} {words}")


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Take services away from beside the command."""

    def of(*missing: str) -> None:
        names = {*subjects.SERVICES, subjects.GATEWAY} - {*missing}
        there = EntryPoints(EntryPoint(name, "", SERVICES_GROUP) for name in names)
        monkeypatch.setattr("stemma_cli.local.supervisor.entry_points", lambda group: there)

    return of


@pytest.mark.parametrize(
    ("start", "missing"),
    [
        (run_in_foreground, "validator"),
        (lambda folder: run_demo(folder, "proposal", as_json=False), "orchestrator"),
        (lambda _: run_demo_desk(), "gateway"),
    ],
)
def test_without_a_service_that_is_needed_nothing_starts_and_it_is_named(
    start: Callable[[Path], ExitCode],
    missing: str,
    tmp_path: Path,
    not_installed: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    not_installed(missing, "notifier")
    assert (start(tmp_path), [*tmp_path.iterdir()]) == (ExitCode.FAILED, [])
    assert f"not installed beside this command: stemma-{missing};" in capsys.readouterr().err


async def test_without_notifier_and_gateway_all_else_runs_and_each_is_told_in_a_line(
    tmp_path: Path, not_installed: Callable[..., None]
) -> None:
    not_installed("notifier", "gateway")
    told: list[tuple[str, str]] = []
    assert LocalStemma(tmp_path, report=lambda *line: told.append(line)).names == sorted(WRITING)
    assert [(name, line.rpartition(" ")[2]) for name, line in told] == [
        ("gateway", "stemma-gateway"),
        ("notifier", "stemma-notifier"),
    ]
    async with LocalStemma(tmp_path, services=[]) as local:
        assert "HTTP" not in how_to_connect(local)


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((None, None, None), ("openai/local", "http://127.0.0.1:8080/v1", "32768")),
        ((None, None, 4096), ("openai/local", "http://127.0.0.1:8080/v1", "4096")),
        (("gpt-5", None, None), ("gpt-5", "", "")),
    ],
)
def test_a_model_is_named_once_and_an_option_comes_before_the_file(
    tmp_path: Path, given: tuple[str | None, str | None, int | None], told: tuple[str, ...]
) -> None:
    file = tmp_path / "stemma.toml"
    file.write_text('[model]\nname = "openai/local"\napi_base = "http://127.0.0.1:8080/v1"\ncontext = 32768\n')
    chosen = chosen_model(*given, file=file)
    assert chosen is not None
    assert tuple(chosen.variables.values()) == told
    assert chosen_model(None, None, None, tmp_path / "none.toml") is None


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model]\nnam = 'x'\n", "model.name: Field required; model.nam: Extra inputs are not permitted"),
        ("[model\n", "line 1"),
        ("[model]\nname = 'x'\ncontext = 10\n", "model.context: Input should be greater than or equal to 1024"),
    ],
)
def test_a_settings_file_that_is_wrong_is_refused_by_its_field_or_line(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "stemma.toml"
    file.write_text(text)
    with pytest.raises(CliError) as refused:
        chosen_model(None, None, None, file)
    assert words in str(refused.value)
    assert str(file) in str(refused.value)


@pytest.mark.req("P13")
def test_an_address_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CliError, match="no model is named"):
        chosen_model(None, "http://127.0.0.1:8080/v1", None, tmp_path / "none.toml")


@pytest.mark.req("M4", "P13")
@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"name": "none.gguf"}, "none.gguf: no such file"),
        ({"name": "none.gguf", "api_base": "http://127.0.0.1:8080/v1"}, "none.gguf has a server of its own here"),
    ],
)
def test_a_model_in_a_file_that_cannot_be_served_is_refused(
    monkeypatch: pytest.MonkeyPatch, named: dict[str, str], words: str
) -> None:
    monkeypatch.setattr(llama, "find_spec", lambda _: "installed")
    with pytest.raises(CliError, match=words):
        llama.served_here(Model.model_validate(named), 1)


@pytest.mark.req("M4", "P13")
def test_a_file_that_is_no_gguf_is_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(llama, "find_spec", lambda _: "installed")
    (whole := tmp_path / "whole.gguf").write_bytes(b"GGUF...")
    (page := tmp_path / "page.gguf").write_bytes(b"<html>")
    assert llama.served_here(Model(name=str(whole)), 1)
    with pytest.raises(CliError, match=r"page\.gguf is no GGUF file"):
        asyncio.run(check_here(Model(name=str(page)), tmp_path))


@pytest.mark.req("M4", "P13")
def test_the_small_model_that_is_not_installed_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "find_spec", lambda _: None)
    with pytest.raises(CliError, match="the server for local is not installed") as refused:
        llama.served_here(Model(name="local"), 1)
    assert "make local" in refused.value.hint
    assert llama.served_here(Model(name="openai/gpt-5"), 1) is None


def checked(**more: Any) -> ModelCheck:
    usual = {"model": "openai/m", "problem": "", "context": 8192, "schema_followed": True, "right": 4, "questions": 4}
    can = {"stops": True, "tools": False, "streams": True, "cached_tokens": 0, "tokens_a_second": 9.5}
    costs = {"calls_at_a_time": 1, "dollars_a_million": None}
    return ModelCheck.model_validate(usual | can | costs | more)


@pytest.mark.req("P13")
def test_a_model_that_cannot_write_is_told_with_what_becomes_of_it() -> None:
    cannot = verdict_of(checked(right=1, stops=False))
    assert cannot == (
        "openai/m does not stop, chose the true sentence 1 times of 4: "
        "Stemma writes by quoting your inputs alone; name a larger model, "
        "or ask this one again by `stemma models check`"
    )
    refused = checked(problem="AuthenticationError (401): check the key")
    assert (verdict_of(refused)[:27], abilities_of(refused)) == ("openai/m could not be asked", {})
    assert abilities_of(checked(dollars_a_million=(0.15, 0.6)))["price"] == "0.15 and 0.6 dollars a million tokens"


@pytest.mark.req("P13")
def test_what_a_model_can_do_is_kept_unless_it_could_not_be_asked(tmp_path: Path) -> None:
    kept, model = KeptChecks(tmp_path), Model(name="openai/m")
    kept.keep(model, checked(problem="down"))
    assert kept.get(model) is None
    kept.keep(model, checked())
    assert (kept.get(model), kept.get(Model(name="openai/m", context=2048))) == (checked(), None)
    [key, *_] = json.loads((tmp_path / "models.json").read_text())
    for unusable in (json.dumps({key: {"model": "without what it can do"}}), "damaged"):
        (tmp_path / "models.json").write_text(unusable)
        assert kept.get(model) is None


@pytest.mark.req("P13")
def test_a_model_is_asked_again_by_another_version_and_when_its_file_changed_but_not_at_another_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [Model(name="openai/m", api_base=f"http://127.0.0.1:{port}/v1") for port in (1, 2)]
    KeptChecks(tmp_path, "m.gguf 9 1").keep(models[0], checked(right=1))
    assert KeptChecks(tmp_path, "m.gguf 9 1").get(models[1]) == checked(right=1)
    assert KeptChecks(tmp_path, "m.gguf 9 2").get(models[0]) is None
    monkeypatch.setattr("stemma_cli.local.model.version", lambda _: "99")
    assert KeptChecks(tmp_path, "m.gguf 9 1").get(models[0]) is None


@pytest.mark.req("P13")
def test_the_model_of_the_stemma_that_runs_in_a_folder_is_the_one_that_is_checked(tmp_path: Path) -> None:
    assert running_model(tmp_path) is None
    with pytest.raises(CliError, match="no model is named"):
        asyncio.run(check_here(None, tmp_path))
    model = Model(name="openai/m", api_base="http://127.0.0.1:1/v1", context=2048)
    DataFolder(tmp_path).write_state({"model": model.model_dump(), "model_file": "m.gguf 9 1"})
    assert running_model(tmp_path) == (model, "m.gguf 9 1")
    DataFolder(tmp_path).write_state({"model": None, "model_file": ""})
    assert running_model(tmp_path) is None


@pytest.mark.req("P13")
@pytest.mark.parametrize(("right", "told"), [(4, "openai/m"), (2, "offline")])
def test_a_model_that_failed_leaves_the_services_to_quote(tmp_path: Path, right: int, told: str) -> None:
    KeptChecks(tmp_path).keep(model := Model(name="openai/m"), checked(right=right))
    said = list[str]()
    variables = asyncio.run(variables_by_check(model, tmp_path, said.append))
    assert (variables["STEMMA_MODEL"], len(said)) == (told, 1)
