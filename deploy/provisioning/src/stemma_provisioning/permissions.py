"""One NATS user per service, per tenant of callers and two per person: what each may publish and subscribe, no more.

Each line says at whose border it ends: `stemma_provisioning.accounts` makes exports and imports of the same table.
Only the provisioner makes or deletes streams and durable consumers of the streams' account. What a caller reads there
is pinned to its tenant by a subject; consumers it makes on the copies of its tenant.

A person reads in one account and asks in another: the server publishes what was read wherever its reader likes, in the
account where it is read. So none of the answers in the account where people ask has bytes of somebody's choice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stemma_contracts import subjects
from stemma_contracts.subjects import ANY, REST

from .copies import copies
from .topology import DEFAULT_TENANTS, STREAMS, Consumer, consumers, deliver_subject

PROVISIONER = "provisioner"
OPERATOR = "operator"
ADMISSION = "admission"
ASKED = "$SYS.REQ.USER.AUTH"
"""Where the server asks about who connects; it publishes there, and nobody else may."""
USER_INFO = "$SYS.REQ.USER.INFO"
"""Where a connection is told who it is; the server answers with what it knows itself."""
CONNECTIONS = "$SYS.REQ.SERVER.PING.CONNZ"
_API = "$JS.API"
_QUEUES = (subjects.REQUESTS, subjects.JOBS, subjects.OUTCOMES)
_WATCHED = (subjects.TIMERS, subjects.ADVISORIES, subjects.NOTICES)
_RECORDERS = (subjects.GENERATION, subjects.EDITOR)


@dataclass(frozen=True)
class Line:
    subject: str
    account: str


@dataclass(frozen=True)
class User:
    name: str
    account: str
    publish: tuple[Line, ...]
    subscribe: tuple[Line, ...]


def service_account(service: str) -> str:
    return STREAMS if service == subjects.ORCHESTRATOR else f"SERVICE_{service}"


def tenant_account(tenant: str) -> str:
    return f"TENANT_{tenant}"


def copies_account(tenant: str) -> str:
    """The account of the copies of what a tenant may read; it has no users."""
    return f"COPIES_{tenant}"


def reading_account(tenant: str) -> str:
    return f"PEOPLE_{tenant}"


def asking_account(tenant: str) -> str:
    return f"ASKING_{tenant}"


def client_user(tenant: str) -> str:
    return f"client-{tenant}"


def inbox_prefix(user: str) -> str:
    """Where a user receives replies; nobody else may listen there."""
    return f"_INBOX_{user}"


def users(tenants: Sequence[str] = DEFAULT_TENANTS) -> list[User]:
    everything = (Line(REST, STREAMS),)
    return [
        User(PROVISIONER, STREAMS, everything, everything),
        _operator(),
        _orchestrator(tenants),
        *(_worker(service, tenants) for service in subjects.WORKERS),
        _notifier(tenants),
        *(program(tenant) for tenant in tenants),
    ]


def _at(account: str, *where: str) -> tuple[Line, ...]:
    return tuple(Line(subject, account) for subject in where)


def _operator() -> User:
    """Who looks after dead letters: reads them and the log, takes them away, and puts messages back where they came."""
    account = OPERATOR.upper()
    publish = (
        *(f"{_API}.STREAM.MSG.{verb}.{subjects.DEAD}" for verb in ("GET", "DELETE")),
        f"{_API}.STREAM.MSG.GET.{subjects.EVENTS}",
        subjects.dead(OPERATOR, ANY),
        subjects.request(ANY, ANY),
        subjects.request_of(ANY, ANY, ANY),
        subjects.job(ANY, ANY),
        subjects.bulk_job(ANY, ANY),
        subjects.outcome(ANY, ANY),
    )
    return User(OPERATOR, account, _at(STREAMS, *publish), _at(account, f"{inbox_prefix(OPERATOR)}.>"))


def _orchestrator(tenants: Sequence[str]) -> User:
    publish = [
        subjects.event(ANY, ANY, ANY),
        subjects.job(ANY, ANY),
        subjects.bulk_job(ANY, ANY),
        subjects.answer(ANY, ANY),
        subjects.timer(ANY, ANY, ANY, ANY),
        subjects.cancelled_jobs(),
        subjects.dead(subjects.ORCHESTRATOR, ANY),
        subjects.outcome(subjects.ORCHESTRATOR, "job-dead"),
        subjects.outcome(subjects.ORCHESTRATOR, ANY),
        *(
            f"{_API}.CONSUMER.INFO.{subjects.JOBS}.{each}"
            for service in subjects.WORKERS
            for each in subjects.job_consumers(service)
        ),
        f"{_API}.DIRECT.GET.{subjects.EVENTS}",
        f"{_API}.DIRECT.GET.{subjects.EVENTS}.>",
        f"{_API}.STREAM.LIST",
        f"{_API}.STREAM.INFO.{subjects.DEAD}",
        *(f"{_API}.CONSUMER.LIST.{stream}" for stream in (*_QUEUES, *_WATCHED)),
        f"{_API}.CONSUMER.INFO.{subjects.EVENTS}.{subjects.NOTIFIER}",
        f"{_API}.DIRECT.GET.KV_{subjects.VIEWS_BUCKET}",
        f"{_API}.DIRECT.GET.{subjects.ANSWERS}",
        *(f"{_API}.STREAM.MSG.GET.{stream}" for stream in (subjects.EVENTS, subjects.ANSWERS)),
        *(f"{_API}.STREAM.MSG.{verb}.{queue}" for verb in ("GET", "DELETE") for queue in _QUEUES),
        *(right for tenant in tenants for right in _compare_copies(tenant)),
        *_erase(tenants),
        *_write_artifacts(tenants),
        *(_purge_bucket(subjects.artifacts_bucket(tenant)) for tenant in tenants),
        *(right for tenant in tenants for right in _read_bucket(subjects.uploads_bucket(tenant))),
        *_write_values(subjects.VIEWS_BUCKET, ">"),
        *_read_values(subjects.VIEWS_BUCKET),
        *_read_values(subjects.CAPABILITIES_BUCKET),
        *_write_values(subjects.CAPABILITIES_BUCKET, subjects.ORCHESTRATOR),
    ]
    return _service(subjects.ORCHESTRATOR, publish, tenants=tenants)


def _compare_copies(tenant: str) -> list[str]:
    """Count what is a tenant's in the streams, and see how much of it the copies have."""
    copied = subjects.copied(tenant).items()
    counts = [f"{_API}.CONSUMER.CREATE.{stream}.*.{pattern}" for stream, pattern in copied]
    infos = [f"{_API}.STREAM.INFO.{stream}" for stream, _ in copied]
    return [*counts, *infos, *(f"{subjects.copies_api(tenant)}.STREAM.INFO.{stream}" for stream, _ in copied)]


def _erase(tenants: Sequence[str]) -> list[str]:
    """Take away what is stored of a document that is erased: message by message, so that the server overwrites it."""
    kept = (subjects.ARTIFACTS, subjects.RECORDS, subjects.DEAD, subjects.TIMERS, subjects.NOTICES)
    buckets = [f"OBJ_{name(t)}" for t in tenants for name in (subjects.artifacts_bucket, subjects.uploads_bucket)]
    views, viewed = (f"KV_{bucket}" for bucket in (subjects.VIEWS_BUCKET, subjects.VIEWED_BUCKET))
    copied = [subjects.copies_api(tenant) for tenant in tenants]
    return [
        *(f"{_API}.STREAM.MSG.GET.{stream}" for stream in (*kept, views, viewed)),
        *(f"{_API}.STREAM.MSG.DELETE.{stream}" for stream in (*kept, subjects.EVENTS, subjects.ANSWERS, *buckets)),
        *(f"{_API}.STREAM.PURGE.{stream}" for stream in (views, viewed)),
        *(f"{api}.STREAM.MSG.{verb}.{subjects.EVENTS}" for api in copied for verb in ("GET", "DELETE")),
        *(f"{api}.STREAM.MSG.DELETE.{subjects.ANSWERS}" for api in copied),
        *(f"{api}.STREAM.PURGE.{views}" for api in copied),
    ]


def _worker(service: str, tenants: Sequence[str]) -> User:
    capabilities = subjects.CAPABILITIES_BUCKET
    publish = [
        subjects.outcome(service, ANY),
        subjects.dead(service, ANY),
        *_write_artifacts(tenants),
        *_write_values(capabilities, service),
    ]
    if service in _RECORDERS:
        publish += [
            subjects.job(service, ANY),
            subjects.bulk_job(service, ANY),
            _direct_get(f"KV_{capabilities}", f"$KV.{capabilities}.{subjects.ORCHESTRATOR}"),
            subjects.record(ANY, ANY, ANY),
            _direct_get(subjects.RECORDS, subjects.record(ANY, ANY, ANY)),
        ]
    live = [subjects.live(ANY, ANY, ANY)] if service == subjects.GENERATION else []
    return _service(service, publish, live)


def _notifier(tenants: Sequence[str]) -> User:
    """It reads the rules of all, and of documents what their summaries tell: no text, and it asks for nothing."""
    rules, told = subjects.RULES_BUCKET, subjects.DELIVERIES_BUCKET
    publish = [
        subjects.notice(ANY, ANY, ANY),
        subjects.dead(subjects.NOTIFIER, ANY),
        _direct_get(f"KV_{subjects.VIEWS_BUCKET}", f"$KV.{subjects.VIEWS_BUCKET}.*.*"),
        *(f"{_API}.STREAM.{verb}.KV_{rules}" for verb in ("INFO", "MSG.GET")),
        _direct_get(f"KV_{told}", f"$KV.{told}.{subjects.deliveries_key(ANY, ANY, ANY)}"),
        f"$KV.{told}.{subjects.deliveries_key(ANY, ANY, ANY)}",
        *_write_values(subjects.CAPABILITIES_BUCKET, subjects.NOTIFIER),
    ]
    return _service(subjects.NOTIFIER, publish, tenants=tenants)


def _service(
    name: str, publish: Iterable[str], own: Iterable[str] = (), tenants: Sequence[str] = DEFAULT_TENANTS
) -> User:
    """``own`` are subjects of the service's own account."""
    account = service_account(name)
    bound = [consumer for consumer in consumers(tenants) if consumer.owner == name]
    rights = (right for consumer in bound for right in _consume(consumer))
    deliveries = dict.fromkeys(deliver_subject(consumer.stream, name) for consumer in bound if consumer.push)
    cancels = (subjects.cancelled_jobs(),) if name in subjects.LONG_WORKERS else ()
    hears = (*_at(account, f"{inbox_prefix(name)}.>"), *_at(STREAMS, *deliveries, *cancels))
    return User(name, account, (*_at(STREAMS, *publish, *rights), *_at(account, *own)), hears)


def _consume(consumer: Consumer) -> list[str]:
    where = f"{consumer.stream}.{consumer.durable}"
    rights = [f"{_API}.CONSUMER.INFO.{where}", f"$JS.ACK.{where}.>"]
    return rights if consumer.push else [*rights, f"{_API}.CONSUMER.MSG.NEXT.{where}"]


def program(tenant: str) -> User:
    name, uploads = client_user(tenant), subjects.uploads_bucket(tenant)
    asks = _at(
        STREAMS,
        subjects.request(tenant, ANY),
        *_read_bucket(uploads),
        *_write_bucket(uploads),
        _purge_bucket(uploads),
        _set_rules(tenant, subjects.PROGRAMS),
        *_read_rules(tenant, subjects.PROGRAMS),
        _set_viewed(tenant, subjects.PROGRAMS),
        _read_viewed(tenant, subjects.PROGRAMS),
    )
    return User(name, tenant_account(tenant), (*asks, *_reads(tenant)), _hears(tenant, inbox_prefix(name)))


def reading_user(tenant: str, person: str) -> User:
    """What a person of a tenant may read; `ANY` stands for all of them."""
    publish = (*_reads(tenant), *_at(STREAMS, *_read_rules(tenant, person), _read_viewed(tenant, person)))
    return User(person, reading_account(tenant), publish, _hears(tenant, person_inbox(person)))


def asking_user(tenant: str, person: str, names: Iterable[str]) -> User:
    """The requests of these names of a person, uploads for them, and the person's own rules, ticks and ended sessions.

    A person who may send no request writes ticks and ended sessions only. The server tells which requests those are.
    An upload is looked up by a call whose answer quotes it: one that were the upload itself could be a request. People
    tell each other here whose editors are open: no answer of the server in this account says what they say.
    """
    uploads, account = subjects.uploads_bucket(tenant), asking_account(tenant)
    own = *_at(STREAMS, _set_viewed(tenant, person)), *_at(account, USER_INFO)
    inbox = _at(account, f"{person_inbox(person)}.>")
    requests = [subjects.request_of(tenant, person, name) for name in names]
    if not requests:
        return User(person, account, own, inbox)
    look_up = f"{_API}.STREAM.MSG.GET.OBJ_{uploads}"
    publish = _at(STREAMS, *requests, _set_rules(tenant, person), *_write_bucket(uploads), look_up)
    tells = _at(account, subjects.presence(tenant, person, ANY, ANY))
    return User(
        person, account, (*publish, *own, *tells), (*inbox, *_at(account, subjects.presence(tenant, ANY, ANY, ANY)))
    )


def asking_who(tenant: str, user: str) -> User:
    """Whoever wants to know which person a token of a provider stands for, and nothing else."""
    account = reading_account(tenant)
    return User(user, account, _at(account, USER_INFO), _at(account, f"{inbox_prefix(user)}.>"))


def person_inbox(person: str) -> str:
    """Where a person receives replies; nobody else may listen there."""
    return f"_INBOX.{person}"


def _reads(tenant: str) -> tuple[Line, ...]:
    views, read = f"$KV.{subjects.VIEWS_BUCKET}.{tenant}", copies_account(tenant)
    publish = (
        _direct_get(subjects.EVENTS, subjects.event(tenant, ANY, ANY)),
        _direct_get(subjects.ANSWERS, subjects.answer(tenant, ANY)),
        *(_direct_get(f"KV_{subjects.VIEWS_BUCKET}", key) for key in (f"{views}.*", f"{views}.*.*")),
        _direct_get(f"KV_{subjects.CAPABILITIES_BUCKET}", f"$KV.{subjects.CAPABILITIES_BUCKET}.*"),
        _direct_get(subjects.ARTIFACTS, subjects.artifact(tenant, ANY, ANY)),
        *_read_bucket(subjects.artifacts_bucket(tenant)),
    )
    follow = (right for copy in copies(tenant) for right in _follow(copy.stream))
    return *_at(STREAMS, *publish), *_at(read, f"{_API}.STREAM.INFO.KV_{subjects.VIEWS_BUCKET}", *follow)


def _set_rules(tenant: str, owner: str) -> str:
    return f"$KV.{subjects.RULES_BUCKET}.{subjects.rules_key(tenant, owner)}"


def _read_rules(tenant: str, owner: str) -> tuple[str, ...]:
    """The rules of an owner, which have secrets in them, and what became of their notices."""
    rules, told = subjects.RULES_BUCKET, subjects.DELIVERIES_BUCKET
    return (
        _direct_get(f"KV_{rules}", f"$KV.{rules}.{subjects.rules_key(tenant, owner)}"),
        _direct_get(f"KV_{told}", f"$KV.{told}.{subjects.deliveries_key(tenant, owner, ANY)}"),
    )


def _set_viewed(tenant: str, owner: str) -> str:
    return f"$KV.{subjects.VIEWED_BUCKET}.{subjects.viewed_key(tenant, owner, ANY)}"


def _read_viewed(tenant: str, owner: str) -> str:
    """What somebody has viewed; nobody else reads it."""
    return _direct_get(f"KV_{subjects.VIEWED_BUCKET}", _set_viewed(tenant, owner))


def _hears(tenant: str, inbox: str) -> tuple[Line, ...]:
    return (
        *_at(copies_account(tenant), f"{inbox}.>"),
        *_at(STREAMS, subjects.event(tenant, ANY, ANY), subjects.answer(tenant, ANY)),
        *_at(service_account(subjects.GENERATION), subjects.live(tenant, ANY, ANY)),
    )


def _follow(stream: str) -> list[str]:
    """Consumers of a copy, pushed or pulled, under any name."""
    verbs = ("CONSUMER.INFO", "CONSUMER.MSG.NEXT", "CONSUMER.DELETE")
    return [
        f"{_API}.CONSUMER.CREATE.{stream}",
        f"{_API}.CONSUMER.CREATE.{stream}.>",
        *(f"{_API}.{verb}.{stream}.*" for verb in verbs),
        f"$JS.ACK.{stream}.>",
        f"$JS.FC.{stream}.>",
    ]


def _direct_get(stream: str, pattern: str) -> str:
    return f"{_API}.DIRECT.GET.{stream}.{pattern}"


def _write_artifacts(tenants: Sequence[str]) -> list[str]:
    every = subjects.artifact(ANY, ANY, ANY)
    buckets = [subjects.artifacts_bucket(tenant) for tenant in tenants]
    large = [right for bucket in buckets for right in (*_read_bucket(bucket), *_write_bucket(bucket))]
    return [every, _direct_get(subjects.ARTIFACTS, every), *large]


def _read_bucket(bucket: str) -> list[str]:
    return [f"{_API}.{verb}.OBJ_{bucket}" for verb in ("STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET")]


def _write_bucket(bucket: str) -> list[str]:
    return [f"$O.{bucket}.C.>", f"$O.{bucket}.M.>"]


def _purge_bucket(bucket: str) -> str:
    """A put that failed takes back its chunks: client libraries do, and the orchestrator where it copies uploads."""
    return f"{_API}.STREAM.PURGE.OBJ_{bucket}"


def _write_values(bucket: str, key: str) -> list[str]:
    return [f"$KV.{bucket}.{key}", f"{_API}.STREAM.INFO.KV_{bucket}"]


def _read_values(bucket: str) -> list[str]:
    return [f"{_API}.STREAM.INFO.KV_{bucket}", f"{_API}.DIRECT.GET.KV_{bucket}.>"]
