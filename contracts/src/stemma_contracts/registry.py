"""One registry gives class, wire name and subject token of every contract; upcasters included."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any, TypeVar

from .base import Contract

C = TypeVar("C", bound=type[Contract])
Old = TypeVar("Old", bound=Contract)


class Family(StrEnum):
    """Which of the five kinds of message a contract is."""

    REQUEST = "request"
    ANSWER = "answer"
    EVENT = "event"
    JOB = "job"
    OUTCOME = "outcome"


class UnknownContract(ValueError):
    """A ``ce-type`` or a subject token that no contract and no upcaster knows."""


class UpcastFailed(Exception):
    """A bug: data of an old version is valid, and its upcaster makes no valid data of the new version."""


@dataclass(frozen=True)
class Entry:
    """A registered contract: ``ce_type`` is its name on the wire, ``token`` its last subject token."""

    cls: type[Contract]
    ce_type: str
    token: str
    family: Family
    service: str | None = None

    @property
    def schema_uri(self) -> str:
        """The value of ``ce-dataschema``: the path of the committed JSON Schema."""
        return f"schemas/{self.ce_type}.json"


Upcast = Callable[[Old], dict[str, Any]]


@dataclass(frozen=True)
class _Upcaster:
    cls: type[Contract]
    new: str
    upcast: Callable[[Any], dict[str, Any]]


class Registry:
    """Contracts by class, by wire name and by subject token, and the upcasters between versions.

    Contracts register themselves when their module is imported. ``modules`` are those with all others, which are
    imported when one is asked for that is not there: to make all classes takes longer than most programs run.
    """

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._by_class: dict[type[Contract], Entry] = {}
        self._by_type: dict[str, Entry] = {}
        self._by_token: dict[tuple[Family, str], Entry] = {}
        self._upcasters: dict[str, _Upcaster] = {}

    def contract(self, ce_type: str, family: Family, service: str | None = None) -> Callable[[C], C]:
        """Register a class under ``stemma.<words>.v<major>``; the token is the words joined by dashes."""

        def register(cls: C) -> C:
            entry = Entry(cls, ce_type, _token(ce_type), family, service)
            if ce_type in self._by_type:
                raise ValueError(f"{ce_type} is registered twice")
            self._by_class[cls] = self._by_type[ce_type] = entry
            self._by_token[(family, entry.token)] = entry
            return cls

        return register

    def upcaster(self, old: str, cls: type[Old], new: str) -> Callable[[Upcast[Old]], Upcast[Old]]:
        """Register a plain function that makes the data of ``new`` of a ``cls``, which is what ``old`` was."""

        def register(upcast: Upcast[Old]) -> Upcast[Old]:
            self._upcasters[old] = _Upcaster(cls, new, upcast)
            return upcast

        return register

    def entry_of(self, contract: Contract | type[Contract]) -> Entry:
        """The entry of a class or of one of its instances; raises `UnknownContract`."""
        cls = contract if isinstance(contract, type) else type(contract)
        try:
            return self._by_class[cls]
        except KeyError:
            raise UnknownContract(f"{cls.__name__} is not a registered contract") from None

    def entry_for(self, ce_type: str) -> Entry:
        """The entry of a wire name, also of one that an upcaster reads; raises `UnknownContract`."""
        if ce_type not in self._by_type:
            self._import_all()
        if old := self._upcasters.get(ce_type):
            return Entry(old.cls, ce_type, _token(ce_type), self.entry_for(old.new).family)
        try:
            return self._by_type[ce_type]
        except KeyError:
            raise UnknownContract(f"no contract is called {ce_type!r}") from None

    def by_token(self, family: Family, token: str) -> Entry:
        """The entry behind the last token of a subject; raises `UnknownContract`."""
        if (family, token) not in self._by_token:
            self._import_all()
        try:
            return self._by_token[(family, token)]
        except KeyError:
            raise UnknownContract(f"no {family} is called {token!r}") from None

    def entries(self, family: Family | None = None) -> Iterator[Entry]:
        """All contracts, or those of one family: family by family, in each in the order of their registration."""
        self._import_all()
        found = (e for e in self._by_type.values() if family is None or e.family is family)
        return iter(sorted(found, key=lambda entry: _ORDER[entry.family]))

    def decode(self, ce_type: str, data: bytes) -> Contract:
        """Read a message body, through the upcasters if its version is an old one.

        Raises `UnknownContract` for a name that nobody knows and `pydantic.ValidationError` for data
        that does not fit; `UpcastFailed` is a bug.
        """
        contract = self.entry_for(ce_type).cls.model_validate_json(data)
        while (known := self._upcasters.get(ce_type)) is not None:
            try:
                contract = self.entry_for(known.new).cls.model_validate(known.upcast(contract))
            except Exception as error:
                raise UpcastFailed(f"{ce_type} to {known.new}: {type(error).__name__}") from error
            ce_type = known.new
        return contract

    def old_types(self) -> frozenset[str]:
        """The names of old versions, which are read and not written any more."""
        self._import_all()
        return frozenset(self._upcasters)

    def encode(self, contract: Contract) -> bytes:
        """The message body of a contract: JSON without the fields that are at their default."""
        return contract.model_dump_json(exclude_defaults=True).encode()

    def _import_all(self) -> None:
        for module in self._modules:
            import_module(module)


def _token(ce_type: str) -> str:
    return "-".join(ce_type.split(".")[1:-1])


_ORDER = {
    family: number
    for number, family in enumerate((Family.ANSWER, Family.REQUEST, Family.EVENT, Family.JOB, Family.OUTCOME))
}
registry = Registry(*(f"stemma_contracts.v1.{name}" for name in ("answers", "events", "jobs", "outcomes", "requests")))
