"""Document kinds of a house: a package of its own, or the config folder of an operator."""

import json
import shutil
from pathlib import Path

from stemma_kinds import find_kinds
from stemma_messaging import config_dir

PACKAGE = "house_kinds"


def house(folder: Path, package: str = PACKAGE) -> Path:
    """An installed package that brings document kinds, once ``folder`` is on the path; each is a folder in it."""
    kinds, info = folder / package, folder / f"{package}-1.dist-info"
    kinds.mkdir(parents=True)
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[stemma.kinds]\nhouse = {package}\n", encoding="utf-8")
    return kinds


def stand_in(kinds: Path, kind: str) -> Path:
    return Path(shutil.copytree(find_kinds()[kind].path, kinds / kind))


def add_kind(kinds: Path, blueprint: object, name: str) -> Path:
    folder = kinds / name
    folder.mkdir()
    (folder / "blueprint.json").write_text(json.dumps(blueprint), encoding="utf-8")
    return folder


def own_config(folder: Path) -> Path:
    return Path(shutil.copytree(config_dir("stemma_orchestrator"), folder / "orchestrator"))


def in_config(config: Path) -> Path:
    """A config folder of the orchestrator, made to have blueprints; one of them has its map in the file of maps."""
    blueprints, file = config / "blueprints", config / "dependencies.json"
    maps = json.loads(file.read_text(encoding="utf-8"))
    for name, kind in find_kinds().items():
        for titles in (kind.path / "titles").glob("*.json"):
            (blueprints / titles.stem).mkdir(parents=True, exist_ok=True)
            shutil.copy(titles, blueprints / titles.stem / f"{name}.json")
        blueprint = json.loads((kind.path / "blueprint.json").read_text(encoding="utf-8"))
        if name != "proposal":
            blueprint["dependencies"] = maps.pop(name, {})
        (blueprints / f"{name}.json").write_text(json.dumps(blueprint), encoding="utf-8")
    file.write_text(json.dumps(maps), encoding="utf-8")
    return config
