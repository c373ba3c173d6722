"""Who may import whom, and the proof that every fence holds: a planted violation is reported."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path

import pytest
from source_tree import PACKAGES, ROOT, imports

OUTSIDE = ["time", "random", "asyncio", "os", "uuid", "logging", "nats", "faststream", "stemma_messaging"]
TERMINALS = ["click", "getpass", "readline", "rich", "termios", "typer"]
PLANTED = {
    "stemma_validator": ["stemma_converter"],
    "stemma_orchestrator": ["stemma_models"],
    "stemma_converter": ["stemma_eventlog"],
    "stemma_domain": [*OUTSIDE, "stemma_artifacts"],
    "stemma_editor_agent": ["stemma_client"],
    "stemma_gateway": ["stemma_eventlog"],
    "stemma_notifier": ["stemma_domain"],
    "stemma_generation_graph": ["stemma_testkit"],
    "stemma_contracts": ["structlog"],
    "stemma_artifacts": ["stemma_telemetry"],
    "stemma_evidence": ["time"],
    "stemma_forms": ["time"],
    "stemma_ooxml": ["time"],
    "stemma_telemetry": ["stemma_contracts"],
    "stemma_markdown": ["stemma_contracts"],
    "stemma_kinds": ["stemma_contracts"],
    "stemma_languages": ["stemma_contracts"],
    "stemma_eventlog": ["stemma_artifacts"],
    "stemma_messaging": ["stemma_artifacts"],
    "stemma_client": ["stemma_messaging", *TERMINALS],
    "stemma_mcp": ["stemma_messaging"],
    "stemma_provisioning": ["stemma_artifacts"],
    "stemma_admission": ["stemma_models"],
    "stemma_models": ["stemma_offline_writer"],
    "stemma_offline_writer": ["stemma_messaging"],
    "stemma_cli": ["stemma_orchestrator"],
    "stemma_domain.features": OUTSIDE,
    "stemma_generation_graph.graphs": ["pyromark"],
    "stemma_validator.engines": ["sentencex"],
}


def lint(tree: Path) -> str:
    sources = os.pathsep.join(str(tree / p.folder.relative_to(ROOT) / "src") for p in PACKAGES)
    command = [
        str(Path(sys.executable).with_name("lint-imports")),
        "--no-cache",
        "--config",
        str(tree / "pyproject.toml"),
    ]
    run = subprocess.run(
        command, cwd=tree, env=os.environ | {"PYTHONPATH": sources}, check=False, capture_output=True, text=True
    )
    return run.stdout + run.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for package in PACKAGES:
        source = package.folder / "src"
        shutil.copytree(source, tmp_path / source.relative_to(ROOT), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.req("E1")
def test_no_package_imports_what_it_must_not() -> None:
    report = lint(ROOT)
    assert "0 broken" in report, report[-3000:]


@pytest.mark.req("E1", "P1")
def test_every_fence_reports_a_planted_violation(tree: Path) -> None:
    for module, imported in PLANTED.items():
        folder = next(tree.glob(f"**/src/{module.replace('.', '/')}"))
        (folder / "planted.py").write_text("".join(f"import {name}\n" for name in imported), encoding="utf-8")
    report = lint(tree)
    planted = [(module, name) for module, imported in PLANTED.items() for name in imported]
    assert [one for one in planted if f"{one[0]}.planted -> {one[1]} " not in report] == [], report[-3000:]
    assert " 0 kept" in report, report[-3000:]


PARSERS = {
    "cmarkgfm", "commonmark", "markdown", "markdown2", "markdown_it", "marko", "mdformat", "mdit_py_plugins",
    "mistletoe", "mistune", "pymarkdown", "pyromark", "rich.markdown",
}  # fmt: skip


def reading_markdown(sources: list[Path]) -> list[str]:
    """The files that import a parser of Markdown, whole or a part of it, at the top or in a function."""
    return [file.name for file in sources if PARSERS & set(with_parents(imports(file)))]


def with_parents(modules: Iterable[str]) -> Iterator[str]:
    """The modules with all that they are parts of."""
    for module in modules:
        yield from accumulate(module.split("."), "{}.{}".format)


def test_markdown_is_parsed_in_one_package() -> None:
    assert [name for p in PACKAGES if p.module != "stemma_markdown" for name in reading_markdown(p.sources)] == []
    [ours] = [p for p in PACKAGES if p.module == "stemma_markdown"]
    assert reading_markdown(ours.sources) == ["lines.py"]


@pytest.mark.parametrize(
    "planted",
    [
        "import mistune",
        "from rich.markdown import Markdown",
        "def f():\n    from markdown_it.tree import SyntaxTreeNode",
    ],
)
def test_a_second_parser_of_markdown_is_found(tmp_path: Path, planted: str) -> None:
    (tmp_path / "planted.py").write_text(planted, encoding="utf-8")
    assert reading_markdown([tmp_path / "planted.py"]) == ["planted.py"]
