"""What network policies allow, by the rules of networking.k8s.io/v1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

from chart import NAMESPACE, pods

Policy = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """Somebody who connects or is connected to; outside of the cluster there is no namespace."""

    name: str
    address: str
    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


MODEL = Place("model", "203.0.113.7")
INSIDE = Place("private", "192.168.1.1")
SERVING = {("nats", 4222): "nats", ("postgres", 5432): "postgres", ("otlp", 4318): "otlp", ("model", 443): "models"}
"""The ports of servers, by the name that a program of the table connects to."""


def places(objects: Sequence[Policy]) -> dict[str, Place]:
    """Everybody that a policy may be about, with strangers in the namespace and in another one."""
    own = [Place(pod.name, f"10.244.0.{n}", "stemma", pod.labels) for n, pod in enumerate(pods(objects), 1)]
    strangers = [
        Place("neighbour", "10.244.1.1", "stemma", {"app": "other"}),
        Place("lookalike", "10.244.1.2", "elsewhere", own[0].labels),
        Place("keda", "10.244.1.3", "keda", {"app": "keda-operator"}),
        Place("prometheus", "10.244.1.5", "monitoring"),
        Place("ingress", "10.244.1.6", "ingress-nginx"),
        Place("dns", "10.244.1.4", "kube-system", {"k8s-app": "kube-dns"}),
        Place("postgres", "10.0.0.5"),
        Place("otlp", "10.0.0.6"),
    ]
    return {place.name: place for place in [*own, *strangers, MODEL, INSIDE]}


def allowed(policies: Sequence[Policy], source: Place, target: Place, port: int, protocol: str = "TCP") -> bool:
    """Whether a connection is let out of its source and into its target."""
    return _lets("Egress", policies, source, target, port, protocol) and _lets(
        "Ingress", policies, target, source, port, protocol
    )


def _lets(way: str, policies: Sequence[Policy], own: Place, other: Place, port: int, protocol: str) -> bool:
    """Who is selected by no policy of this way is free."""
    selecting = [policy["spec"] for policy in policies if _selects(policy, own, way)]
    rules = [rule for spec in selecting for rule in spec.get(way.lower()) or []]
    peers = "to" if way == "Egress" else "from"
    return not selecting or any(_peers(rule.get(peers), other) and _ports(rule, port, protocol) for rule in rules)


def _selects(policy: Policy, place: Place, way: str) -> bool:
    here = place.namespace == NAMESPACE
    return here and way in policy["spec"]["policyTypes"] and _labels(policy["spec"]["podSelector"], place.labels)


def _ports(rule: Mapping[str, Any], port: int, protocol: str) -> bool:
    ports = rule.get("ports")
    return not ports or any((each["port"], each["protocol"]) == (port, protocol) for each in ports)


def _peers(peers: Sequence[Mapping[str, Any]] | None, place: Place) -> bool:
    """A rule without peers is about everybody, one that lists none as well."""
    return not peers or any(_peer(peer, place) for peer in peers)


def _peer(peer: Mapping[str, Any], place: Place) -> bool:
    if block := peer.get("ipBlock"):
        inside = [ip_address(place.address) in ip_network(cidr) for cidr in [block["cidr"], *block.get("except", [])]]
        return inside[0] and not any(inside[1:])
    spaces, labels = peer.get("namespaceSelector"), peer.get("podSelector", {})
    named = {"kubernetes.io/metadata.name": place.namespace}
    there = place.namespace == NAMESPACE if spaces is None else bool(place.namespace) and _labels(spaces, named)
    return there and _labels(labels, place.labels)


def _labels(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    assert selector.keys() <= {"matchLabels"}, "no other kind of selector is known here"
    wanted: Mapping[str, str] = selector.get("matchLabels", {})
    return wanted.items() <= labels.items()
