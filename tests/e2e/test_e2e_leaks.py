"""What leaves the house: words of the inputs that may not be quoted stand in no file and in no notice."""

import asyncio
import html
import json
import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pypdfium2
import pytest
import pytest_asyncio
from docx import Document as Word
from stemma_cli.local.supervisor import LocalStemma
from stemma_client import Client
from stemma_client.notifications import new_secret
from stemma_contracts.v1 import events as e
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.notifications import NotificationRule, Occasion
from stemma_testkit.driving import approve_all, wait_for

from .canaries import CANARIES, OWN, files_in, leaked
from .conftest import Receiver, receiving, run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("B1")]
FIELD = "How many passengers does the ferry carry?"
OUTLINE = """## The ferry

id: ferry
kind: approach

How many passengers the ferry carries to the island, and when.
"""


def words_in(data: bytes, form: str) -> str:
    match form:
        case "docx":
            with ZipFile(BytesIO(data)) as package:
                parts = [package.read(name).decode() for name in package.namelist() if name.endswith((".xml", ".rels"))]
            return html.unescape("\n".join(re.sub(r"<[^>]*>", "", part) for part in parts))
        case "pdf":
            with pypdfium2.PdfDocument(data) as pdf:
                return "\n".join(page.get_textpage().get_text_range() for page in pdf)
        case "html":
            return html.unescape(re.sub(r"<[^>]*>", " ", data.decode()))
        case "json":
            return json.dumps(json.loads(data), ensure_ascii=False)
        case _:
            return data.decode()


async def begun(settings: dict[str, str], folder: Path, files: Mapping[str, Path], form: Path) -> str:
    """A document that is asked for with the command: its mail has no role of a person."""
    (folder / "outline.md").write_text(OUTLINE, encoding="utf-8")
    word = Word()
    word.add_table(rows=1, cols=2).cell(0, 0).text = FIELD
    word.save(str(form))
    chosen = [each for role in ("request", "internal", "past-text", "style") for each in (f"--{role}", files[role])]
    plan = ("--brief", files["brief"], "--outline", folder / "outline.md", "--form", form)
    done = await run(settings, "new", "proposal", *plan, *chosen, "--input", files["facts"], "--input", files["mail"])
    assert done.exit_code == 0, done.output
    assert "internal (proposed): mail.eml" in done.stderr
    return done.stdout.strip()


async def answered(client: Client, document_id: str, form: Path) -> bytes:
    """The form with what was found to answer it; every section is approved."""
    view = await client.document(document_id)
    [one] = [each for each in view.input_views if each.name == form.name]
    await wait_for(
        client, document_id, lambda event: isinstance(event, e.DocumentInputRead) and event.input_id == one.input_id
    )
    await client.request(r.ConfirmFormFields(document_id=document_id, input_id=one.input_id, version=1))
    await approve_all(client, document_id)
    asked = await client.request(r.ExportForm(document_id=document_id, input_id=one.input_id))
    return await client.artifact(document_id, (await client.form_exported(document_id, str(asked.export_id))).artifact)


async def notices(receiver: Receiver, document_id: str) -> str:
    """All that is told of a document until it is finished."""
    told = [await receiver.told.get()]
    while told[-1]["type"] != "stemma.finished" or told[-1]["data"]["document_id"] != document_id:
        told.append(await receiver.told.get())
    return json.dumps(told, ensure_ascii=False)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def offline(stemma: LocalStemma, client: Client, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The words of all that leaves of a document of the offline writer."""
    folder = tmp_path_factory.mktemp("offline")
    settings = {"STEMMA_DATA_DIR": str(stemma.folder.root), "XDG_CONFIG_HOME": str(folder)}
    form = folder / "form.docx"
    with receiving() as receiver:
        told = (Occasion.WAITING, Occasion.FINISHED, Occasion.FAILED)
        rule = NotificationRule(rule_id="leaks", on=told, webhook=receiver.url, secret=new_secret())
        await client.notifications.add(rule)
        document_id = await begun(settings, folder, files_in(folder), form)
        left = {"form": words_in(await answered(client, document_id, form), "docx")}
        for wanted in ExportFormat:
            done = await client.export(document_id, wanted)
            left[wanted.value] = words_in(await client.artifact(document_id, done.artifact), wanted)
        async with asyncio.timeout(60):
            left["notices"] = await notices(receiver, document_id)
        await client.notifications.remove("leaks")
    return left


@pytest.mark.parametrize("role", CANARIES)
async def test_words_that_may_not_be_quoted_are_in_nothing_that_leaves(offline: Mapping[str, str], role: str) -> None:
    assert {name: leaked(CANARIES[role], text) for name, text in offline.items()} == {name: [] for name in offline}


async def test_what_is_ours_stands_in_all_files(offline: Mapping[str, str]) -> None:
    assert {name for name, text in offline.items() if leaked(OWN, text)} >= {"docx", "pdf", "html", "json", "md"}
