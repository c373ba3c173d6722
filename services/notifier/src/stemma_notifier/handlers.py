"""Events become notices, and notices reach their receivers. What anybody is told of is in ``notices``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from faststream import AckPolicy
from faststream.nats import JStream, NatsRouter
from pydantic import ValidationError
from stemma_contracts import registry, subjects
from stemma_contracts.shown import shown
from stemma_contracts.subjects import ANY
from stemma_contracts.v1.events import AnyEvent, Event
from stemma_contracts.v1.notifications import CheckedReceiver, NotificationRule, NotificationTest, Occasion
from stemma_contracts.v1.summary import DocumentSummary
from stemma_messaging import Delivery, InvalidMessage, Publisher
from stemma_telemetry import annotate, get_logger, names

from .adapters import RULES, RULES_PREFIX, Attempts, RuleFull, Rules, Summaries, queue, read_rules
from .delivering import NoticeSender
from .notices import Happening, Notice, NoticedSection, happenings, is_of_kind, notice_id, reached, wanted_by
from .sending import NotSent, Refused

log = get_logger()


@dataclass(frozen=True)
class Tools:
    publisher: Publisher
    summaries: Summaries
    rules: Rules
    attempts: Attempts
    sender: NoticeSender


def routes(tools: Callable[[], Tools]) -> NatsRouter:
    router = NatsRouter(ack_policy=AckPolicy.MANUAL)

    @router.subscriber(subjects.event(ANY, ANY, ANY), stream=JStream(subjects.EVENTS, declare=False))
    async def event(delivery: Delivery) -> None:
        await on_event(delivery, tools=tools())

    keys, bucket = subjects.rules_key(ANY, ANY), JStream(RULES, declare=False)

    @router.subscriber(f"{RULES_PREFIX}{keys}", stream=bucket, include_in_schema=False)
    async def rules_changed(delivery: Delivery) -> None:
        await on_rules(delivery, tools=tools())

    subject, notices = subjects.notice(ANY, ANY, ANY), JStream(subjects.NOTICES, declare=False)

    @router.subscriber(subject, stream=notices, include_in_schema=False)
    async def notice(delivery: Delivery) -> None:
        await on_notice(delivery, tools=tools())

    return router


async def on_event(delivery: Delivery, *, tools: Tools) -> None:
    address = subjects.parse_event(delivery.subject)
    annotate(tenant=address.tenant, document_id=address.document_id)
    known = await tools.rules.of_tenant(address.tenant)
    told = _happenings_in(delivery, address) if known else ()
    wanted = [(owner, rule, one) for owner, rule in known for one in wanted_by(owner, rule, address.document_id, told)]
    document = await tools.summaries.of(address.tenant, address.document_id) if wanted else None
    for owner, rule, happening in wanted:
        if document is not None and is_of_kind(rule, document):
            await _queue(_notice(delivery, document, owner, rule, happening), tools)


def _happenings_in(delivery: Delivery, address: subjects.EventAddress) -> Sequence[Happening]:
    """What an event has to tell: nothing, if this release cannot read it, or if it is in the wrong place."""
    try:
        event = cast("AnyEvent", delivery.decode(Event))
    except InvalidMessage as error:
        log.warning(names.Log.EVENT_SKIPPED, sequence=delivery.stream_sequence, reason=str(error))
        return ()
    belongs = delivery.envelope is not None and registry.entry_for(delivery.envelope.type).token == address.name
    return happenings(event) if belongs else ()


def _notice(
    delivery: Delivery, document: DocumentSummary, owner: str, rule: NotificationRule, happening: Happening
) -> Notice:
    titles = {section.section_id: shown(section.title) for section in document.sections}
    budget = reached(rule, happening.spent) if happening.spent else None
    event_id = delivery.headers.get("ce-id", str(delivery.stream_sequence))
    cause = f"{budget.name}.{document.document_id}" if budget else event_id
    return Notice(
        notice_id=notice_id(cause, delivery.tenant, owner, rule.rule_id),
        tenant=delivery.tenant,
        owner=owner,
        rule_id=rule.rule_id,
        occasion=happening.occasion,
        happened_at=delivery.time,
        event=delivery.subject.rpartition(".")[2],
        sequence=delivery.stream_sequence,
        document_id=document.document_id,
        kind=document.kind,
        sections=tuple(NoticedSection(section_id=one, title=titles.get(one, "")) for one in happening.sections),
        version=happening.version,
        budget=budget,
        assignee=happening.assignee or None,
        due=happening.due,
    )


async def on_rules(delivery: Delivery, *, tools: Tools) -> None:
    known = read_rules(delivery.data)
    if known is None:
        return
    tenant, owner = delivery.subject.removeprefix(RULES_PREFIX).split(".")
    named = {rule.rule_id: rule for rule in known.rules}
    if known.check is not None and known.check.rule_id in named:
        checked = await _check(named[known.check.rule_id], known.check.check_id, tools.sender)
        await tools.attempts.checked(tenant, owner, known.check.rule_id, checked)
    if known.test is not None and known.test.rule_id in named:
        await _queue(_test(known.test, tenant, owner, delivery.time), tools)


async def _check(rule: NotificationRule, check_id: str, sender: NoticeSender) -> CheckedReceiver:
    try:
        await sender.check(rule)
    except Refused as refused:
        return CheckedReceiver(check_id=check_id, refused=str(refused))
    except NotSent as doubt:
        return CheckedReceiver(check_id=check_id, doubt=str(doubt))
    return CheckedReceiver(check_id=check_id)


def _test(test: NotificationTest, tenant: str, owner: str, at: datetime) -> Notice:
    return Notice(
        notice_id=notice_id(f"test.{test.test_id}", tenant, owner, test.rule_id),
        tenant=tenant,
        owner=owner,
        rule_id=test.rule_id,
        occasion=Occasion.TEST,
        happened_at=at,
    )


async def _queue(notice: Notice, tools: Tools) -> None:
    try:
        await queue(tools.publisher, notice)
    except RuleFull:
        await tools.attempts.note(notice, "dropped", "as many notices wait as may")


async def on_notice(delivery: Delivery, *, tools: Tools) -> None:
    try:
        notice = Notice.model_validate_json(delivery.data)
    except ValidationError as error:
        raise InvalidMessage(f"a notice with {error.error_count()} problems") from None
    rule = await tools.rules.find(notice.tenant, notice.owner, notice.rule_id)
    if rule is not None:
        await tools.sender.deliver(rule, notice, since=delivery.time, deliveries=delivery.deliveries)
