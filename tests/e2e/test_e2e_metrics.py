"""What the services expose of a run: by the registry, and of no document."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.request import urlopen

import pytest
from prometheus_client import Metric as Family
from prometheus_client.parser import text_string_to_metric_families
from stemma_cli.local.supervisor import LocalStemma
from stemma_contracts import Contract, subjects
from stemma_contracts.v1 import events as e
from stemma_telemetry.metrics import OF_THE_PROCESS, exposed_names
from stemma_telemetry.names import Metric
from stemma_testkit.driving import request_sample, wait_for

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.req("O2"), pytest.mark.full]
KNOWN = {name for metric in Metric for name in exposed_names(metric)} | {*OF_THE_PROCESS, "target_info"}
WRITTEN_WITHIN_S = 240.0
OF_ALL = {Metric.LOOP_LAG, Metric.MISSING}
OF_A_RUN = {
    subjects.ORCHESTRATOR: {
        Metric.PROCESS_DURATION,
        Metric.CONSUMER_PENDING,
        Metric.CONSUMER_UNACKNOWLEDGED,
        Metric.CONSUMER_DELIVERED,
        Metric.STREAM_SIZE,
        Metric.STREAM_MESSAGES,
        Metric.TENANT_LIMIT,
    },
    subjects.GENERATION: {
        Metric.PROCESS_DURATION,
        Metric.TOKEN_USAGE,
        Metric.MODEL_DURATION,
        Metric.MODEL_COST,
    },
    subjects.VALIDATOR: {Metric.PROCESS_DURATION},
}


def waits(event: Contract) -> bool:
    return isinstance(event, e.SectionReviewRequested)


def families(stemma: LocalStemma, service: str) -> list[Family]:
    port = stemma.folder.ready_file(service).read_text()
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return list(text_string_to_metric_families(answer.read().decode()))


async def test_each_service_exposes_what_it_did_by_the_registry(apart: LocalStemma) -> None:
    async with apart.client() as client:
        document_id = await request_sample(client)
        await wait_for(client, document_id, waits, WRITTEN_WITHIN_S)
        sections = {section.section_id for section in (await client.document(document_id)).sections.values()}
    exposed: Mapping[str, list[Family]] = {
        service: await asyncio.to_thread(families, apart, service) for service in subjects.SERVICES
    }
    for service, found in exposed.items():
        samples = [sample for family in found for sample in family.samples]
        names = {sample.name for sample in samples}
        assert names - KNOWN == set()
        expected = OF_ALL | OF_A_RUN.get(service, set())
        assert [metric for metric in expected if not names.intersection(exposed_names(metric))] == []
        values = {value for sample in samples for value in sample.labels.values()}
        assert not any(document_id in value for value in values)
        assert not values & sections
