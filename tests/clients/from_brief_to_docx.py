"""A document from its brief to a Word file, by a client that a generator made of the OpenAPI, and nothing of ours.

python from_brief_to_docx.py URL BRIEF INPUT FILE, with TOKEN in the environment
"""

import os
import sys
import time
from io import BytesIO
from pathlib import Path

from stemma_over_http import AuthenticatedClient
from stemma_over_http.api.commands import approve_section, export_document
from stemma_over_http.api.documents import create_document, show_document
from stemma_over_http.api.exports import download_export
from stemma_over_http.api.uploads import upload
from stemma_over_http.models import (
    ApproveSection,
    CreateDocument,
    DocumentStatus,
    ExportDocument,
    ExportFormat,
    RequestAccepted,
    SectionStatus,
)
from stemma_over_http.types import File

WAIT, POLL_S = "wait=60", 0.5


def accepted(answer: object) -> RequestAccepted:
    assert isinstance(answer, RequestAccepted), answer
    return answer


def main(url: str, brief: Path, given: Path, file: Path) -> None:
    with AuthenticatedClient(url, os.environ["TOKEN"], timeout=90) as client:
        ref = upload.sync(client=client, body=File(BytesIO(given.read_bytes())), name=given.name)
        body = CreateDocument(kind="proposal", brief=brief.read_text(), inputs=[ref])
        document_id = accepted(create_document.sync(client=client, body=body, prefer=WAIT)).document_id
        while (document := show_document.sync(document_id, client=client)).status is DocumentStatus.RUNNING:
            for name, section in document.sections.additional_properties.items():
                if section.status is SectionStatus.AWAITING_REVIEW:
                    seen = ApproveSection(section_id=name, version=section.versions[-1].number)
                    accepted(approve_section.sync(document_id, client=client, body=seen, prefer=WAIT))
            time.sleep(POLL_S)
        assert document.status is DocumentStatus.COMPLETED, document
        asked = ExportDocument(format_=ExportFormat.DOCX)
        export_id = accepted(export_document.sync(document_id, client=client, body=asked, prefer=WAIT)).export_id
        file.write_bytes(download_export.sync(document_id, export_id, client=client).payload.read())


main(sys.argv[1], *map(Path, sys.argv[2:]))
