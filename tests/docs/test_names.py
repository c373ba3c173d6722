"""Every name on a page (variable, setting, command, option, file, class) is one that the code has."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from stemma_cli.main import app
from stemma_provisioning.bounds import PREFIX, Bounds
from stemma_telemetry.metrics import OF_THE_PROCESS, exposed_names
from stemma_telemetry.names import Metric
from typer.main import get_command

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted(ROOT.glob("services/*/README.md")),
    *sorted(ROOT.glob("libs/*/README.md")),
]
TICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
COMPLETION = {"-h", "--help", "--install-completion", "--show-completion"}
MISSPELT = {"STEMMA_NATS_URLL"}
FOLDERS = ("contracts", "deploy", "libs", "services")
CODE = {".py", ".toml", ".json", ".yaml", ".js", ".mjs", ".html", ".lua", ".typ", ".md", ""}
GENERATED = {"golden", "schemas", "tests", "node_modules", "__pycache__"}
ELSEWHERE = {
    "HttpOnly": "HTTP",
    "Secure": "HTTP",
    "otel_metric_overflow": "OpenTelemetry",
    "handed-in.docx": "a reader writes it",
    "own.yaml": "a reader writes it",
    "preferred_username": "OpenID",
    "tesseract-ocr-deu": "Debian",
}
"""Names that are not ours."""


METRICS = {name for metric in Metric for name in exposed_names(metric)} | set(OF_THE_PROCESS)
FAILURES = set(re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs/failures.md").read_text(encoding="utf-8"), re.MULTILINE))
"""The lines of the table of failures, each of which has a test (`test_architecture_texts.py`)."""


@cache
def words() -> frozenset[str]:
    """All names in the code and in the names of its files, with hyphens as they are written there."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    read = [path for path in files if path.suffix in CODE and not GENERATED & {*path.relative_to(ROOT).parts}]
    texts = [path.read_text(encoding="utf-8") for path in (*read, ROOT / "Makefile", ROOT / "pyproject.toml")]
    whole = {word for text in texts for word in re.findall(r"\w+(?:-\w+)*", text)}
    return frozenset(whole.union(*(word.split("-") for word in whole)))


@cache
def files() -> frozenset[str]:
    return frozenset(path.name for folder in (*FOLDERS, "tests") for path in (ROOT / folder).rglob("*.*"))


def ticked(page: Path, form: str) -> set[str]:
    return {name for name in TICKED.findall(page.read_text(encoding="utf-8")) if re.fullmatch(form, name)}


def test_every_name_of_a_page_is_one_of_the_code() -> None:
    for page in PAGES:
        names = ticked(page, r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+|[A-Z][a-z]+[A-Za-z]+") - FAILURES - ELSEWHERE.keys()
        assert [name for name in sorted(names - words()) if not any(one.startswith(name) for one in METRICS)] == [], (
            page
        )


def test_every_file_that_a_page_names_alone_is_there() -> None:
    for page in PAGES:
        names = ticked(page, r"[\w-]+\.(?:py|json|toml|yaml|html|typ|lua|mjs|conf|docx)")
        written = {name for name in names if name in words_of_strings()}
        assert [name for name in sorted(names - written) if name not in files() | ELSEWHERE.keys()] == [], page


def is_of_tests(path: Path) -> bool:
    return "tests" in path.relative_to(ROOT).parts


@cache
def words_of_strings() -> frozenset[str]:
    """Files that code names: those that it writes, or that operators may write."""
    code = [path for path in chain(*((ROOT / folder).rglob("*.py") for folder in FOLDERS)) if not is_of_tests(path)]
    found = re.compile(r"[\w-]+\.(?:json|toml|yaml|conf|docx|env)")
    return frozenset(name for path in code for name in found.findall(path.read_text(encoding="utf-8")))


@cache
def variables() -> frozenset[str]:
    """Those that code spells, and those of fields of settings, read from the sources: no service is loaded."""
    found = set(re.findall(r"STEMMA_[A-Z0-9_]+", "\n".join(words())))
    shared = fields(ROOT / "libs/messaging/src/stemma_messaging/settings.py")
    models = fields(ROOT / "libs/models/src/stemma_models/settings.py")
    for file in chain(ROOT.glob("services/*/src/*/app.py"), ROOT.glob("services/*/src/*/settings.py")):
        prefix = f"STEMMA_{file.parents[2].name.upper().replace('-', '_')}_"
        own = models if "ModelSettings" in file.read_text(encoding="utf-8") else set()
        names = {"config_dir"} | shared | own | fields(file)
        found |= {f"{prefix}{name.upper()}" for name in names}
    return frozenset(found | {f"{PREFIX}{name.upper()}" for name in Bounds.__dataclass_fields__})


def fields(file: Path) -> set[str]:
    return set(re.findall(r"^    (\w+): \w", file.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_variable_that_a_page_names_is_read() -> None:
    for page in PAGES:
        named = set(re.findall(r"(?<![\w])STEMMA_[A-Z0-9_]*[A-Z0-9](?![A-Z0-9_<])", page.read_text(encoding="utf-8")))
        assert [name for name in sorted(named) if name not in variables() | MISSPELT] == [], page


def test_every_variable_that_all_services_share_is_on_the_page_of_settings() -> None:
    code = (ROOT / "libs/messaging/src/stemma_messaging/settings.py").read_text(encoding="utf-8")
    shared = {f"STEMMA_{name.upper()}" for name in re.findall(r"_common\(\"(\w+)\"", code)}
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert len(shared) > 5
    assert [name for name in sorted(shared) if f"`{name}`" not in page] == []


def commands(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"^ *```(?:bash|text)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL))
    ticks = (" ".join(tick.split()) for tick in re.findall(r"(?<!`)`(stemma [^`]+)`(?!`)", text))
    for line in [*blocks.replace("\\\n", " ").splitlines(), *ticks]:
        yield from re.findall(r"(?:^|[(|;] *|&& )(stemma [^|;)#<>]*)", line.strip())


def test_every_command_of_a_page_has_its_verbs_and_its_options() -> None:
    stemma = get_command(app)
    for page in PAGES:
        assert [wrong for command in commands(page) if (wrong := unknown_in(stemma, command))] == [], page


def unknown_in(found: Any, command: str) -> str:
    """What a command names that there is not: a verb or an option; empty if there is all."""
    words = command.split()[1:]
    while words and hasattr(found, "get_command") and not words[0].startswith("-"):
        if (verb := found.get_command(None, words[0])) is None:
            return f"{command}: no verb {words[0]}"
        found, words = verb, words[1:]
    options = {name for parameter in found.params for name in (*parameter.opts, *parameter.secondary_opts)} | COMPLETION
    used = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word)}
    return f"{command}: no option {', '.join(sorted(used - options))}" if used - options else ""


def test_a_verb_and_an_option_that_are_not_there_are_found() -> None:
    stemma = get_command(app)
    asked = ("stemma sing", "stemma dead sing", "stemma show DOC --loud", "stemma show DOC --json")
    assert [bool(unknown_in(stemma, command)) for command in asked] == [True, True, True, False]


def test_the_code_that_the_architecture_shows_is_that_of_its_file() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n# (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert shown
    code = {name: (ROOT / name).read_text(encoding="utf-8") for name, _ in shown}
    pieces = [(name, piece.strip()) for name, block in shown for piece in block.split("\n\n\n")]
    assert [piece for name, piece in pieces if piece not in code[name]] == []
