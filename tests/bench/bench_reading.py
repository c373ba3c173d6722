"""Reading files from outside: how much of the words and headings of each, in which time and memory."""

import asyncio
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from bench_report import row, title
from reading_scores import CORPUS, SAMPLES, TABLES, Sample, score


async def files(quick: bool) -> None:
    """Every file of the corpus, each in a process of its own; the long ones not if quick."""
    title("files from outside: words, runs of five words, and headings read; CPU and memory of the process")
    loop = asyncio.get_running_loop()
    samples = [sample for sample in SAMPLES if not (quick and sample.is_long)]
    for sample in [*samples, *(Sample(name, "", headings=None) for name in TABLES)]:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            row(sample.name, *await loop.run_in_executor(pool, _read, sample))


def _read(sample: Sample) -> tuple[str, str]:
    from stemma_converter.reading import Limits, read_input

    content, before = (CORPUS / sample.name).read_bytes(), _used()
    started = time.monotonic()
    reading = read_input(sample.name, None, content, Limits())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    cost = f"{_used() - before:.2f} s CPU, {time.monotonic() - started:.2f} s, {memory} MB"
    if not sample.truth:
        return f"{reading.figures.tables} tables", cost
    truth = (CORPUS / sample.truth).read_text(encoding="utf-8")
    found = score(truth, reading.markdown, sample.begins)
    headings = f"{found.headings:.3f}" if sample.headings is not None else "    -"
    return f"{found.words:.3f}  {found.order:.3f}  {headings}", cost


def _used() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
