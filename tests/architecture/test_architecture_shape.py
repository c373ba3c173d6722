"""The shape of the code: sizes, the skeleton of a service, what is said in one place only, codes of refusals."""

import ast
import re
import statistics
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from source_tree import PACKAGES, ROOT, SERVICES, Package, functions, imports, nodes, python_files
from stemma_contracts import problems

MAX_FUNCTION = 60
MAX_FILE = 600
MAX_MEDIAN = 8
MAX_HANDLER = 20
MAX_OFFLINE_WRITER = 2_500
WITHOUT_MESSAGES = {"stemma-admission", "stemma-gateway"}
SKELETON = ["config/settings.toml", "pyproject.toml", "src/{module}/app.py"]
# The adapters: the only modules that speak NATS.
NATS_PACKAGES = {"stemma_artifacts", "stemma_eventlog", "stemma_messaging", "stemma_provisioning", "stemma_client"}
NATS_PACKAGES |= {"stemma_cli", "stemma_testkit"}
NATS_MODULES = {
    "stemma_models/records.py",
    "stemma_orchestrator/answers.py",
    "stemma_orchestrator/erasing.py",
    "stemma_orchestrator/late.py",
    "stemma_orchestrator/lost.py",
    "stemma_orchestrator/projector.py",
    "stemma_orchestrator/repair.py",
    "stemma_orchestrator/observing.py",
    "stemma_orchestrator/orphans.py",
}
SETTINGS_READERS = {"stemma_messaging", "stemma_client", "stemma_cli", "stemma_provisioning", "stemma_testkit"}
SETTINGS_MODULES = {"stemma_telemetry/tracing.py"}
DECLARING = {"add_stream", "update_stream", "create_key_value", "create_object_store"}
SUBJECT = re.compile(r"^_?stemma\.(?:request|answer|event|job|outcome|dead|live|cancel|artifact|record)\.v\d")
each_service = pytest.mark.parametrize("service", SERVICES, ids=lambda p: p.name)
SOURCES = [(p, file) for p in PACKAGES for file in p.sources]


def place(package: Package, file: Path) -> str:
    return file.relative_to(package.folder / "src").as_posix()


def test_no_function_has_more_than_sixty_lines() -> None:
    """Of tests the linter bounds the statements: to read all of them takes longer."""
    long = [f"{place(p, f)}: {name} has {n}" for p, f in SOURCES for name, n in functions(f) if n > MAX_FUNCTION]
    assert long == []


def test_no_file_has_more_than_six_hundred_lines() -> None:
    sizes = {f.relative_to(ROOT).as_posix(): f.read_text(encoding="utf-8").count("\n") for f in python_files()}
    assert {name: n for name, n in sizes.items() if n > MAX_FILE} == {}


def test_the_offline_writer_stays_modest() -> None:
    [sources] = [package.sources for package in PACKAGES if package.module == "stemma_offline_writer"]
    assert sum(file.read_text(encoding="utf-8").count("\n") for file in sources) <= MAX_OFFLINE_WRITER


def test_functions_are_short() -> None:
    lengths = [n for _, file in SOURCES for _, n in functions(file)]
    assert statistics.median(lengths) <= MAX_MEDIAN


@pytest.mark.req("E1")
@each_service
def test_every_service_has_the_same_skeleton(service: Package) -> None:
    expected = [name.format(module=service.module) for name in SKELETON]
    assert [name for name in expected if not (service.folder / name).is_file()] == []
    handlers = service.folder / "src" / service.module / "handlers.py"
    assert handlers.is_file() == (service.name not in WITHOUT_MESSAGES)
    assert service.tests != []


def bodies(handlers: Path) -> list[tuple[str, int]]:
    found = [n for n in nodes(handlers) if isinstance(n, ast.AsyncFunctionDef) and n.name.startswith("on_")]
    return [(n.name, (n.end_lineno or n.lineno) - n.body[0].lineno + 1) for n in found]


@pytest.mark.parametrize("service", [s for s in SERVICES if s.name not in WITHOUT_MESSAGES], ids=lambda p: p.name)
def test_handlers_translate_call_and_publish(service: Package) -> None:
    handlers = service.folder / "src" / service.module / "handlers.py"
    assert [name for name, lines in bodies(handlers) if lines > MAX_HANDLER] == []
    caught = [ast.unparse(n.type) if n.type else "" for n in nodes(handlers) if isinstance(n, ast.ExceptHandler)]
    assert not {"", "Exception", "BaseException"} & set(caught)


@pytest.mark.req("P16")
def test_settings_are_read_in_app_alone() -> None:
    found = [
        place(package, file)
        for package, file in SOURCES
        if package.module not in SETTINGS_READERS
        and file.name != "app.py"
        and (reads_environment(file) or any(m.startswith("pydantic_settings") for m in imports(file)))
    ]
    assert sorted(set(found) - SETTINGS_MODULES) == []


def reads_environment(file: Path) -> bool:
    attributes = [n for n in nodes(file) if isinstance(n, ast.Attribute)]
    mentions = [n for n in attributes if ast.unparse(n) in {"os.environ", "os.getenv"}]
    stores = [n for n in nodes(file) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    defaults = [n for n in attributes if ast.unparse(n) == "os.environ.setdefault"]
    writes = len([n for n in stores if ast.unparse(n.value) == "os.environ"]) + len(defaults)
    return len(mentions) > writes or bool(imports(file) & {"os.environ", "os.getenv"})


def test_nats_is_spoken_in_the_adapters_alone() -> None:
    speaking = [(p, f) for p, f in SOURCES if any(m.split(".")[0] == "nats" for m in imports(f))]
    outside = [place(p, f) for p, f in speaking if p.module not in NATS_PACKAGES and f.name != "app.py"]
    adapters = {name for name in outside if "/adapters/" in name or name.endswith("/adapters.py")}
    assert sorted(set(outside) - adapters - NATS_MODULES) == []


def declarations(file: Path) -> list[str]:
    calls = [n for n in nodes(file) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return [f"{file.name}:{n.lineno}" for n in calls if isinstance(n.func, ast.Attribute) and n.func.attr in DECLARING]


def spelled_subjects(file: Path) -> list[str]:
    words = [n for n in nodes(file) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [f"{file.name}:{n.lineno}" for n in words if SUBJECT.match(str(n.value))]


def clock_readings(file: Path) -> list[str]:
    attributes = [n for n in nodes(file) if isinstance(n, ast.Attribute)]
    return [f"{file.name}:{n.lineno}" for n in attributes if n.attr in {"now", "utcnow", "today"}]


@pytest.mark.req("E1")
def test_streams_and_buckets_are_declared_by_provisioning_alone() -> None:
    others = [file for package, file in SOURCES if package.module != "stemma_provisioning"]
    assert [line for file in others for line in declarations(file)] == []


def test_subjects_are_spelled_in_one_module() -> None:
    found = {place(package, file) for package, file in SOURCES if spelled_subjects(file)}
    assert {name for name in found if not name.startswith("stemma_contracts/")} == set()


@pytest.mark.req("P1")
def test_the_domain_never_asks_the_clock() -> None:
    domain = [file for package, file in SOURCES if package.module == "stemma_domain"]
    assert domain != []
    assert [line for file in domain for line in clock_readings(file)] == []


@pytest.mark.parametrize(
    ("find", "planted"),
    [
        (declarations, "await js.add_stream(name='EVENTS')"),
        (spelled_subjects, "subject = f'stemma.event.v1.{tenant}.>'"),
        (clock_readings, "at = datetime.now(UTC)"),
        (lambda file: [file] if reads_environment(file) else [], "import os\nkey = os.environ['KEY']"),
        (lambda file: [file] if reads_environment(file) else [], "from os import getenv\nkey = getenv('KEY')"),
        (lambda file: [name for name, n in functions(file) if n > MAX_FUNCTION], "def f():\n" + "    x = 1\n" * 60),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, find: Callable[[Path], list[object]], planted: str) -> None:
    clean, dirty = tmp_path / "clean.py", tmp_path / "dirty.py"
    clean.write_text("import os\nos.environ['STRICT'] = 'true'\n", encoding="utf-8")
    dirty.write_text(planted, encoding="utf-8")
    assert find(clean) == []
    assert len(find(dirty)) == 1


def test_test_files_have_names_of_their_own() -> None:
    names = [f.name for f in python_files() if f.name.startswith("test_")]
    assert sorted({n for n in names if names.count(n) > 1}) == []


MADE = re.compile(r"\bProblem\(|\b_problem\(|coded\(|\.of\(\s*\"\w+_\w+\"")
of_refusals = pytest.mark.req("H4", "R8")
STORED = {"instructions_repeated"}
"""What events of earlier releases say."""


@cache
def making() -> list[Path]:
    """The files in which a problem is made."""
    return [file for p, file in SOURCES if p.name != "stemma-testkit" and MADE.search(file.read_text(encoding="utf-8"))]


def coded() -> Iterator[tuple[str, ast.Call]]:
    """Every call that names a code of the catalogue."""
    for path in making():
        for node in nodes(path):
            match node:
                case ast.Call(func=ast.Attribute(attr="of"), args=[ast.Constant(value=str(code)), *_]) if "_" in code:
                    yield code, node
                case ast.Call(func=ast.Name(id="_problem"), args=[ast.Constant(value=str(code)), *_]):
                    yield code, node
                case ast.Call(func=ast.Attribute(attr="coded") | ast.Name(id="coded"), args=args):
                    yield from ((str(arg.value), node) for arg in args[-1:] if isinstance(arg, ast.Constant))


@of_refusals
def test_every_problem_is_made_with_a_code_and_its_parameters() -> None:
    found = list(coded())
    assert len(found) > 150
    for code, call in found:
        names = {keyword.arg for keyword in call.keywords}
        known = problems.parameters(code)
        assert names - {None} <= known, code
        assert None in names or names == known, code


@of_refusals
def test_no_problem_is_made_of_a_sentence() -> None:
    made = [
        (path, keyword.value)
        for path in making()
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Problem", "answers.Problem")
        for keyword in node.keywords
        if keyword.arg == "message"
    ]
    assert [path for path, value in made if isinstance(value, ast.JoinedStr) or ast.unparse(value).count(" ")] == []


@of_refusals
def test_every_code_is_used() -> None:
    words = "\n".join(file.read_text(encoding="utf-8") for p, file in SOURCES if p.name != "stemma-testkit")
    families = ("answer_", "claim_without_", "document_", "proposal_", "section_", "statement_")
    unused = {code for code in problems.codes() if f'"{code}"' not in words and not code.startswith(families)}
    assert unused == STORED
