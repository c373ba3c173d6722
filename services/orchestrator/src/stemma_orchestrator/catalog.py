"""Document kinds as data: their blueprints and titles, read from files and checked before start."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from stemma_contracts.base import filled_from
from stemma_contracts.misfits import misfits
from stemma_contracts.tokens import Token
from stemma_contracts.v1.capabilities import DocumentKind, KindSection
from stemma_domain.blueprints import planning
from stemma_kinds import KindError, KindFolder, find_kinds
from stemma_languages import UnknownLanguage, language

BLUEPRINT = "blueprint.json"
DEPENDENCIES = "dependencies.json"
_DEPENDENCIES = TypeAdapter(dict[Token, dict[Token, tuple[Token, ...]]])


class ConfigError(ValueError):
    """A configuration file that cannot be used; the message names the file and what is wrong in it."""


@dataclass(frozen=True)
class Kind:
    """A document kind: its blueprint, what its sections rest on, the digest of both; the same in other languages.

    ``folder_digest`` is that of all that there is of it, where it came with a package.
    """

    blueprint: planning.Blueprint
    dependencies: planning.DependencyMap
    digest: str
    translations: Mapping[str, Kind] = field(default_factory=dict)
    ids_by_title: Mapping[str, str] = field(default_factory=dict)
    """Its sections by what they are called in any language."""
    folder_digest: str | None = None

    @property
    def languages(self) -> list[str]:
        return sorted({self.blueprint.language, *self.translations})

    def in_language(self, tag: str) -> Kind | None:
        """The same kind with titles and headings of a language, if it has them."""
        found = self if tag == self.blueprint.language else self.translations.get(tag)
        return replace(found, ids_by_title=self._ids_by_title()) if found else None

    def _ids_by_title(self) -> dict[str, str]:
        blueprints = [kind.blueprint for kind in (*self.translations.values(), self)]
        return {planning.title_key(section.title): section.id for one in blueprints for section in one.sections}


Catalog = Mapping[str, Kind]


def load_catalog(config: Path) -> Catalog:
    """The kinds of all packages; where the config folder has ``blueprints``, those that lie there and no other.

    The dependency map of a kind is in ``dependencies.json`` of the config folder or in its blueprint, never in both.
    Raises `ConfigError`.
    """
    maps = _read_dependencies(config / DEPENDENCIES)
    catalog = _in_config(config, maps) if (config / "blueprints").is_dir() else _of_packages(maps)
    if unknown := sorted(maps.keys() - catalog.keys()):
        raise ConfigError(f"{DEPENDENCIES}: there is no kind {unknown[0]!r}; there are: {', '.join(sorted(catalog))}")
    return catalog


def _of_packages(maps: Mapping[str, planning.DependencyMap]) -> Catalog:
    try:
        return {name: _of_package(kind, maps) for name, kind in sorted(find_kinds().items())}
    except KindError as error:
        raise ConfigError(str(error)) from None


def _of_package(folder: KindFolder, maps: Mapping[str, planning.DependencyMap]) -> Kind:
    """A kind of a package: ``blueprint.json``, and what it is called in ``titles/<language>.json``."""
    place = f"{folder.name}/"
    kind = _read_kind(f"{place}{BLUEPRINT}", folder.path / BLUEPRINT, maps)
    if kind.blueprint.kind != folder.name:
        raise ConfigError(f"{place}{BLUEPRINT}: kind: its folder is called {folder.name}")
    translations = dict(_titles(folder, kind))
    return replace(kind, translations=translations, folder_digest=folder.digest)


def _titles(folder: KindFolder, kind: Kind) -> Iterator[tuple[str, Kind]]:
    """The kind in each language that it has titles in; like all that is read of it, they count for its digest."""
    for path, file in folder.files("titles", ".json").items():
        name = f"{folder.name}/titles/{path}"
        tag = _tag(name, path.removesuffix(".json"))
        yield tag, _read_wording(name, file, kind, tag)


def _in_config(config: Path, maps: Mapping[str, planning.DependencyMap]) -> Catalog:
    """Every ``blueprints/*.json`` and its titles in ``blueprints/<language>/``."""
    files = sorted((config / "blueprints").glob("*.json"))
    if not files:
        raise ConfigError(f"{config / 'blueprints'}: there is no blueprint")
    kinds = {file.name: _read_kind(file.name, file, maps) for file in files}
    for folder in sorted(path for path in (config / "blueprints").iterdir() if path.is_dir()):
        kinds |= dict(_translated(folder, kinds))
    return {kind.blueprint.kind: kind for kind in kinds.values()}


def digests(catalog: Catalog) -> dict[str, str]:
    """The digests of the kinds that came with packages: workers must have the same."""
    return {name: kind.folder_digest for name, kind in catalog.items() if kind.folder_digest is not None}


def document_kinds(catalog: Catalog) -> tuple[DocumentKind, ...]:
    return tuple(_document_kind(kind) for _, kind in sorted(catalog.items()))


def _document_kind(kind: Kind) -> DocumentKind:
    blueprint = kind.blueprint
    required = {section.id for section in blueprint.sections if section.required}
    needs = {section.id: section.needs_input for section in blueprint.sections}
    return DocumentKind(
        kind=blueprint.kind,
        title=blueprint.title,
        description=blueprint.description,
        digest=kind.folder_digest,
        sections=tuple(
            filled_from(
                KindSection,
                plan,
                required=plan.section_id in required,
                review=plan.review.mode,
                needs_input=needs.get(plan.section_id, ()),
            )
            for plan in planning.plan_sections(
                blueprint, kind.dependencies, [section.id for section in blueprint.sections]
            )
        ),
    )


def _read_dependencies(file: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    try:
        return _DEPENDENCIES.validate_python(_read_json(file.name, file))
    except ValidationError as error:
        raise ConfigError(f"{file.name}: {misfits(error)[0]}") from None


def _read_kind(name: str, file: Path, maps: Mapping[str, planning.DependencyMap]) -> Kind:
    """A blueprint that carries its dependencies, or has them in ``maps``; ``name`` is what errors call it."""
    try:
        blueprint = planning.Blueprint.model_validate(_read_json(name, file))
    except ValidationError as error:
        raise ConfigError(f"{name}: {misfits(error)[0]}") from None
    in_map = blueprint.kind in maps
    if in_map and blueprint.dependencies is not None:
        raise ConfigError(
            f"{name}: {blueprint.kind!r} has dependencies here and in {DEPENDENCIES}: remove one of the two"
        )
    dependencies = maps.get(blueprint.kind, blueprint.dependencies or {})
    try:
        planning.check_dependencies([section.id for section in blueprint.sections], dependencies)
    except planning.InvalidPlan as error:
        raise ConfigError(f"{DEPENDENCIES if in_map else name}: {error}") from None
    try:
        planning.check_cycle(blueprint, dependencies)
    except planning.InvalidPlan as error:
        raise ConfigError(f"{name}: {error}") from None
    return _kind(blueprint, dependencies)


def _kind(blueprint: planning.Blueprint, dependencies: planning.DependencyMap) -> Kind:
    canonical = json.dumps([blueprint.model_dump(mode="json"), dependencies], sort_keys=True)
    return Kind(blueprint, dependencies, sha256(canonical.encode()).hexdigest())


def _translated(folder: Path, kinds: Mapping[str, Kind]) -> Iterator[tuple[str, Kind]]:
    tag = _tag(folder.name, folder.name)
    for file in sorted(folder.glob("*.json")):
        kind = kinds.get(file.name)
        if kind is None:
            raise ConfigError(f"{tag}/{file.name}: there is no blueprint {file.name}")
        worded_in = _read_wording(f"{tag}/{file.name}", file, kind, tag)
        yield file.name, replace(kind, translations={**kind.translations, tag: worded_in})


def _tag(name: str, written: str) -> str:
    try:
        tag = language(written).tag
    except UnknownLanguage as error:
        raise ConfigError(f"{name}: {error}") from None
    if tag != written:
        raise ConfigError(f"{name}: name {'it' if '/' in name else 'the folder'} {tag}")
    return tag


def _read_wording(name: str, file: Path, kind: Kind, tag: str) -> Kind:
    try:
        wording = planning.Wording.model_validate(_read_json(name, file))
        return _kind(planning.worded(kind.blueprint, wording, tag), kind.dependencies)
    except ValidationError as error:
        raise ConfigError(f"{name}: {misfits(error)[0]}") from None
    except planning.InvalidPlan as error:
        raise ConfigError(f"{name}: {error}") from None


def _read_json(name: str, file: Path) -> dict[str, Any]:
    """A JSON object in which no key stands twice; raises `ConfigError` naming the line or the key."""
    try:
        document = json.loads(file.read_text("utf-8"), object_pairs_hook=_without_duplicates)
    except FileNotFoundError:
        raise ConfigError(f"{name}: the file is missing") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{name}: line {error.lineno}: {error.msg}") from None
    except (UnicodeDecodeError, _DuplicateKey) as error:
        raise ConfigError(f"{name}: {error}") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{name}: it must be a JSON object")
    return document


class _DuplicateKey(ValueError):
    pass


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise _DuplicateKey(f"{key!r} stands there twice")
        seen[key] = value
    return seen
