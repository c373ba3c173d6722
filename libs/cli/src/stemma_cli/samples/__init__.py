"""A brief and inputs for each kind of document that ships with a sample."""

from pathlib import Path

from stemma_cli.exit_codes import CliError, ExitCode

SAMPLES = Path(__file__).parent


def sample_folder(kind: str) -> Path:
    """The folder of the sample of a kind: ``brief.md`` and ``inputs``; raises `CliError` if there is none."""
    known = sorted(path.parent.name for path in SAMPLES.glob("*/brief.md"))
    if kind not in known:
        raise CliError(ExitCode.USAGE, f"no sample comes with {kind!r}", f"there is one of {', '.join(known)}")
    return SAMPLES / kind
