"""Images without an engine: the instructions of a Dockerfile, carried out in folders."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from string import Template

from composition import ROOT, Build

BUILD_VARIABLES = ("PATH", "HOME", "LANG", "TMPDIR")


@dataclass(frozen=True)
class Image:
    """What the last stage of a Dockerfile runs, and the folder of its programs here."""

    programs: Path
    entrypoint: tuple[str, ...]

    def command(self, arguments: list[str]) -> list[str]:
        """A command line of a container of this image."""
        program, *fixed = self.entrypoint
        return [str(self.programs / program), *fixed, *arguments]


def instructions(dockerfile: Path) -> list[tuple[str, str]]:
    """Keyword and rest of every instruction."""
    text = re.sub(r"^#.*\n", "", dockerfile.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    pairs = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    return [(keyword, rest) for keyword, rest in pairs]


def entrypoint(dockerfile: Path) -> tuple[str, ...]:
    """The program that a container runs."""
    (line,) = [rest for keyword, rest in instructions(dockerfile) if keyword == "ENTRYPOINT"]
    return tuple(re.findall(r'"([^"]*)"', line))


def built(build: Build, folder: Path) -> Image:
    """Carry out the steps of the first stage, with the arguments of the build, in an empty environment."""
    system, source, app = folder / "system", folder / "src", folder / "app"
    subprocess.run([sys.executable, "-m", "venv", str(system)], check=True)
    source.mkdir()
    variables: dict[str, str] = {}
    stage = [step for step in instructions(build.dockerfile) if "--from" not in step[1]]
    for keyword, rest in stage[: [keyword for keyword, _ in stage].index("FROM", 1)]:
        if keyword == "COPY":
            _copy(Template(rest).substitute(variables), source)
        elif keyword == "ARG":
            name, _, default = rest.partition("=")
            variables[name] = dict(build.arguments).get(name) or Template(default).substitute(variables)
        elif keyword == "RUN":
            _run(rest.replace("/app", str(app)), source, system, variables)
    return Image(app / "bin", entrypoint(build.dockerfile))


def _copy(arguments: str, source: Path) -> None:
    *names, target = arguments.split()
    for name in names:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "tests")
            shutil.copytree(ROOT / name, source / target, ignore=ignored, dirs_exist_ok=True)
        else:
            to = source / target / Path(name).name if target.endswith("/") else source / target
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to)


def _run(command: str, source: Path, system: Path, variables: dict[str, str]) -> None:
    kept = {key: value for key, value in os.environ.items() if key in BUILD_VARIABLES or key.startswith("PIP_")}
    environment = kept | variables | {"PATH": f"{system / 'bin'}:{kept['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=source, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
