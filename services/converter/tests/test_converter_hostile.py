"""Drafts, titles and images are written by strangers."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from pypdf import PdfReader
from stemma_confinement import Limits
from stemma_contracts.v1.outcomes import ConversionFailed
from stemma_converter.cleaning import is_safe_link
from stemma_converter.images import ImageLimits, vet
from stemma_converter.pandoc import ConversionError, run_confined
from stemma_converter.pdf import set_pages

FORMATS = ("docx", "pdf", "html", "json", "md")
SECRET = "root:x:0:0"


def body_of(format: str, data: bytes) -> str:
    """All text in an output that a reader or a program could act on."""
    if format == "docx":
        with ZipFile(BytesIO(data)) as package:
            return "\n".join(package.read(n).decode() for n in package.namelist() if n.endswith((".xml", ".rels")))
    if format == "pdf":
        reader = PdfReader(BytesIO(data))
        links = [str(note.get_object()) for page in reader.pages for note in page.get("/Annots", [])]
        return "\n".join([page.extract_text() for page in reader.pages] + links)
    return data.decode()


@pytest.mark.req("S8")
@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "FILE:/x", "//host/x", "ftp://x", "smb://x", "x.docx", "/etc/passwd", "tel:1", ""]
)
def test_a_link_to_anything_but_the_web_a_mailbox_or_the_document_is_not_safe(target: str) -> None:
    assert not is_safe_link(target)


@pytest.mark.parametrize("target", ["http://a.example", "HTTPS://a.example/x", "mailto:a@b.example", "#budget"])
def test_a_link_to_the_web_a_mailbox_or_the_document_is_safe(target: str) -> None:
    assert is_safe_link(target)


DRAFTS = (
    "# A\n\n![one](/etc/passwd) ![two](file:///etc/passwd) ![three](../../../../etc/passwd)\n\n"
    '<img src="/etc/passwd">\n\n```{.include}\n/etc/passwd\n```\n\n[six]: /etc/passwd\n\n![six]\n',
    "# B\n\nText ![remote](http://127.0.0.1:9/x.png) after.\n",
    "# C\n\n<script>alert('one')</script>\n\n<iframe src='http://evil.example'></iframe>\n\n"
    "text <img src=x onerror=alert(2)> [a](javascript:alert(3)) [b](JaVaScRiPt&#58;alert(4)) "
    "[c](data:text/html,x) [d](vbscript:x) [e](file:///usr/passwd) [f](//evil.example) <javascript:alert(5)>\n\n"
    "[g]: javascript:alert(6)\n\n[g] [h](<java\tscript:alert(7)>)\n\n<!-- a comment -->\n",
    "---\ntitle: Hijacked\nheader-includes: '#import \"@preview/evil:1.0.0\"'\n---\n\n# D\n\n"
    '```{=openxml}\n<w:p><w:r><w:t>INJECTED</w:t></w:r></w:p>\n```\n\n```{=typst}\n#read("/etc/passwd")\n```\n\n'
    '`#read("/etc/passwd")`{=typst} #import "@preview/evil:1.0.0" #read("/etc/passwd") $#read("/etc/passwd")$ '
    '$\\text{#read("/etc/passwd")}$\n',
    "# E [a](javascript:alert(1))\n\n$\\href{javascript:alert(2)}{x}$ and[^1]\n\n"
    "[![i](javascript:alert(3))](file:///x)\n\n| [b](javascript:alert(4)) |\n|---|\n| [c](file:///etc/x) |\n\n"
    "[^1]: [d](javascript:alert(5)) <file:///y>\n",
)
TITLE = '#read("/etc/passwd") <w:p/> $title$ {{x}}'
SENT = ("file:///usr", "alert('one')", "onerror", "vbscript", "data:text", "a comment", "evil.example")


@pytest.mark.req("S8")
@pytest.mark.parametrize("format", FORMATS)
async def test_a_draft_reads_no_file_fetches_nothing_and_brings_no_live_markup(exporter: Any, format: str) -> None:
    data, outcome = await exporter.export(format, *DRAFTS, title=TITLE)
    body = body_of(format, data)
    assert SECRET.encode() not in data
    assert SECRET not in body
    assert "127.0.0.1" not in body
    assert "Image not available: remote" in re.sub(r"\\|\n", " ", body).replace("  ", " ")
    assert [word for word in SENT if word in body] == []
    counts = {(warning.section_id, warning.code): warning.count for warning in outcome.warnings}
    assert (counts["s0", "dropped_image"], counts["s1", "dropped_image"]) == (5, 1)
    assert counts["s2", "dropped_link"] >= 7
    assert counts["s2", "dropped_html"] >= 2
    assert not re.search(r"(href|Target|URI)[^>{]{0,12}javascript", body, re.IGNORECASE)
    if format in ("docx", "pdf", "html"):
        assert not re.search(r"(href|src|Target|URI)['\"]?\s*[=:]\s*['\"(]*\s*(javascript|file):", body, re.IGNORECASE)
        assert not re.search(r"HYPERLINK[^<]{0,12}(javascript|file):", body, re.IGNORECASE)
    assert {"docx": "<w:t>INJECTED</w:t>", "html": "<w:p>"}.get(format, SECRET) not in body


async def test_footnotes_in_footnotes_do_not_explode(exporter: Any) -> None:
    chain = "\n\n".join(f"[^{n}]: a [^{n + 1}] b [^{n + 1}]" for n in range(40))
    text = await exporter.text("md", f"# A\n\nStart[^0].\n\n{chain}\n\n[^40]: end\n")
    assert len(text) < 10_000


async def test_a_draft_beyond_all_bounds_is_refused_by_code(exporter: Any) -> None:
    outcome = await exporter.outcome("md", "x" * (17 * 1024 * 1024))
    assert isinstance(outcome, ConversionFailed)
    assert (outcome.code, outcome.params) == ("conversion_too_large_at", {"section_id": "s0"})


@pytest.mark.req("S1")
async def test_a_hostile_title_is_one_line_of_plain_text_and_one_in_persian_stays_as_it_is(exporter: Any) -> None:
    title = "A <b>bold</b>\n\n# plan\x00\u202e [x](javascript:1)" + "z" * 1000
    for form in ("docx", "html", "md"):
        data, outcome = await exporter.export(form, "# A\n", title=title)
        assert "<b>bold" not in data.decode("latin-1")
        assert "/" not in outcome.artifact.name
    assert data.decode().count("\n#") == 1
    for title, written in {"pay\u202eoge": "payoge", "می\u200cخواهم": "می\u200cخواهم"}.items():
        assert f'"title": "{written}"' in await exporter.text("json", "# A\n", title=title)


async def test_no_property_leaves_its_attribute_in_html(exporter: Any) -> None:
    page = await exporter.text(
        "html", "# A\n", title='"><script>', generator='m" onload="alert(1) <meta name="properties">'
    )
    assert 'content="Written with m&quot; onload=&quot;alert(1)' in page
    assert "<script" not in page


@pytest.mark.parametrize("name", ["svg", "text", "bomb", "large", "truncated"])
def test_refuses_what_is_no_decent_image(name: str, make_picture: Callable[..., bytes]) -> None:
    cases = {
        "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "text": b"not an image",
        "bomb": make_picture(3000, 2000),
        "large": make_picture() + b"\0" * 200_000,
        "truncated": make_picture()[:200],
    }
    assert vet(cases[name], ImageLimits(max_bytes=200_000, max_pixels=1_000_000)) is None


def test_reencodes_images_without_what_is_hidden_in_them(make_picture: Callable[..., bytes]) -> None:
    hidden = b"<?php hidden ?>"
    picture = vet(make_picture(format="JPEG") + hidden, ImageLimits())
    assert picture
    assert hidden not in picture.data
    assert (picture.suffix, picture.data[:2]) == ("jpg", b"\xff\xd8")


async def test_typesetting_reaches_no_package_and_no_file_outside(tmp_path: Path) -> None:
    for source in ('#import "@preview/cetz:0.3.0"', '#read("/../../../../etc/passwd")', '#read("../../../etc/passwd")'):
        (tmp_path / "main.typ").write_text(source)
        with pytest.raises(ConversionError, match="typesetting_failed"):
            await set_pages(tmp_path, Limits(seconds=20), 0)


async def test_typesetting_follows_no_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "main.typ").write_text('#read("link.txt")')
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    with pytest.raises(ConversionError, match="symlink"):
        await set_pages(tmp_path, Limits(seconds=20), 0)


async def test_a_program_has_every_limit(tmp_path: Path) -> None:
    command, limits = ("/bin/cat", "/proc/self/limits"), Limits(seconds=7, memory_mb=300, output_mb=3)
    told = await run_confined("program", command, b"", folder=tmp_path, limits=limits, address_space=True)
    found = {line[4:25].strip(): line[25:].split()[:2] for line in told.decode().splitlines()}
    assert {
        name: found[name] for name in ("cpu time", "core file size", "open files", "file size", "address space")
    } == {
        "cpu time": ["7", "8"],
        "core file size": ["0", "0"],
        "open files": ["256", "256"],
        "file size": [str(3 << 20)] * 2,
        "address space": [str(300 << 20)] * 2,
    }


async def test_a_program_that_computes_too_long_says_so(tmp_path: Path) -> None:
    command = ("/bin/sh", "-c", "while :; do :; done")
    with pytest.raises(ConversionError, match="timeout") as failed:
        await run_confined("program", command, b"", folder=tmp_path, limits=Limits(seconds=0.5))
    assert "program took more than 0.5 s of CPU time" in failed.value.why


async def test_a_program_that_takes_too_much_memory_fails(tmp_path: Path) -> None:
    command = ("/usr/bin/env", "python3", "-c", "bytearray(10**9)")
    with pytest.raises(ConversionError, match="program_failed"):
        await run_confined("program", command, b"", folder=tmp_path, limits=Limits(memory_mb=200), address_space=True)


async def test_a_program_that_writes_too_much_fails(tmp_path: Path) -> None:
    command = ("/usr/bin/env", "head", "-c", "3000000", "/dev/zero")
    with pytest.raises(ConversionError, match="program_failed"):
        await run_confined("program", command, b"", folder=tmp_path, limits=Limits(output_mb=2))


async def test_programs_see_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMA_CONVERTER_NATS_PASSWORD", "hunter2")
    output = await run_confined("program", ("/usr/bin/env",), b"", folder=tmp_path, limits=Limits())
    assert b"hunter2" not in output


LIVE = r"""
`<script>alert(1)</script>`{=html} and `x`{onclick="alert(1)"} *a*{onclick="alert(1)"} \[span\]{onclick="alert(1)"}

```{=html}
<script>alert(1)</script>
```

``` {.py onclick="alert(1)"}
code
```

$<script>alert(1)</script>$ and $$<img src=x onerror=alert(1)>$$

## Head {onclick="alert(1)"}

[a](https://a.example){onclick="alert(1)"} [t](https://a.example "a\"><script>alert(1)</script>")

:::: {.x onclick="alert(1)"}
words
::::

\---
header-includes: INCLUDED
\---

\\input{/etc/passwd} {% include x %} {{ x }}

| a `<script>alert(1)</script>`{=html} |
|---|
| b{onclick="alert(1)"} |
"""


@pytest.mark.req("S8")
async def test_exported_markdown_is_text_for_every_reader(exporter: Any, converter: Any, tmp_path: Path) -> None:
    text = await exporter.text("md", "# A\n" + LIVE)
    assert "{%" not in text

    async def read_by(reader: str, *options: str) -> bytes:
        command = (converter.pandoc.program, "--from", reader, "--to", *options)
        return await run_confined("pandoc", command, text.encode(), folder=tmp_path, limits=Limits())

    for reader in ("gfm", "markdown", "commonmark_x"):
        page = await read_by(reader, "html", "--standalone", "--mathml")
        live = rb"<(?:script|img|iframe)[^>]*>|<[a-z]+[^>]*\son[a-z]+=[^>]*>|^INCLUDED"
        assert re.findall(live, page, re.MULTILINE) == [], reader
        assert b"\\input{/etc" not in await read_by(reader, "latex")


@pytest.mark.req("S8")
async def test_words_with_signs_stay_what_they_are_in_exported_markdown(exporter: Any) -> None:
    draft = "# A\n\nA set {1, 2}, C:\\temp, a - b, 50% {x}\n\n```py\n{code} \\n\n```\n\n$a < b$\n"
    text = await exporter.text("md", draft)
    assert "A set \\{1, 2}, C:\\\\temp, a - b, 50% \\{x}\n\n``` py\n{code} \\n\n```\n\n$a \\lt  b$" in text
