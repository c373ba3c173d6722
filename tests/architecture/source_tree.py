"""The repository as the architecture tests read it: packages, source files, imports, functions."""

import ast
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import closure

ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"^[ \t]*((?:import|from) [^\n(;]*(?:\([^)]*\))?)", re.MULTILINE)
"""Statements alone: the trees of all files take seconds."""
SKIPPED = {".git", ".venv", ".hypothesis", ".stemma", "__pycache__", "dist", "build", "demo-output"}
TEXT_SUFFIXES = {
    "",
    ".cfg",
    ".conf",
    ".in",
    ".ini",
    ".json",
    ".lock",
    ".md",
    ".po",
    ".py",
    ".sh",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
}


@dataclass(frozen=True)
class Package:
    """One of our packages: ``name`` is its distribution, ``module`` its import name."""

    name: str
    folder: Path
    required: frozenset[str]

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    @property
    def sources(self) -> list[Path]:
        return sorted(self.folder.glob("src/**/*.py"))

    @property
    def tests(self) -> list[Path]:
        return sorted(self.folder.glob("tests/**/*.py"))


PACKAGES = [Package(name, folder, required) for name, (folder, required) in closure.own_packages().items()]
SERVICES = [p for p in PACKAGES if p.folder.parent.name == "services"]
OWN_MODULES = {p.module: p.name for p in PACKAGES}


def python_files() -> Iterator[Path]:
    """Every Python file of the repository."""
    return (path for path in files() if path.suffix == ".py")


def files() -> Iterator[Path]:
    """Every file of the repository that is not made by a tool."""
    for folder, inside, names in os.walk(ROOT):
        inside[:] = sorted(name for name in inside if name not in SKIPPED and not name.endswith("_cache"))
        # In a worktree .git is a file.
        yield from (Path(folder) / name for name in sorted(names) if name not in SKIPPED)


def texts() -> Iterator[tuple[Path, str]]:
    """Every text file with its content."""
    for path in files():
        if path.suffix in TEXT_SUFFIXES and path.stat().st_size < 2_000_000:
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8", errors="replace")


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of the syntax tree of a file."""
    return tuple(ast.walk(tree(path)))


@cache
def imports(path: Path) -> frozenset[str]:
    """Dotted names that a file imports, at its top or inside functions; relative imports left out."""
    found: set[str] = set()
    for statement in IMPORT.findall(path.read_text(encoding="utf-8")):
        with suppress(SyntaxError):  # a sentence in a text
            [node] = ast.parse(statement).body
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Names of functions with their length in lines."""
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def distributions_of(module: str) -> set[str]:
    """The installed distributions that a dotted import may come from, by the longest part that is a file."""
    parts = module.split(".")
    candidates = _candidates().get(parts[0], set())
    if len(candidates) < 2:
        return candidates
    for length in range(len(parts), 0, -1):
        found = {name for name in candidates if "/".join(parts[:length]) in _modules(name)}
        if found:
            return found
    return candidates


@cache
def _candidates() -> dict[str, set[str]]:
    return {module: set(map(closure.normalised, names)) for module, names in metadata.packages_distributions().items()}


@cache
def _modules(distribution: str) -> frozenset[str]:
    sources = (file for file in metadata.files(distribution) or () if file.suffix in {".py", ".so"})
    return frozenset(file.as_posix().removesuffix("/__init__.py").removesuffix(".py") for file in sources)
