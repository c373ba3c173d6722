"""The chart makes objects that the servers of its versions accept, and confines what it runs."""

import copy
import os
import re
import subprocess
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml
from chart import (
    CHART,
    ELSEWHERE,
    EVERYTHING,
    SMALLEST,
    TABLE,
    THREE,
    TRACED,
    Pod,
    Refused,
    helm,
    of_kind,
    pods,
    problems,
    program,
    rendered,
)
from composition import ROOT, fresh_variables
from policies import INSIDE, MODEL, SERVING, Place, allowed, places
from stemma_contracts import subjects
from stemma_messaging.settings import BadSettings
from stemma_provisioning import providers
from stemma_provisioning.providers import Trusted

pytestmark = pytest.mark.full
VALUES = {"smallest": SMALLEST, "everything": EVERYTHING, "three": THREE, "elsewhere": ELSEWHERE}
VERSIONS = ("1.30", "1.37")
SERVICES = sorted(entry_points(group="stemma.services").names)
each_values = pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)


def service(name: str) -> Any:
    """Loaded where a test runs: whoever only collects has no need of all services."""
    (found,) = entry_points(group="stemma.services", name=name)
    return found.load()


@each_values
@pytest.mark.req("O4")
def test_every_object_is_one_by_the_schema_of_the_version_that_it_names(values: dict[str, Any]) -> None:
    objects = rendered(values)
    assert [problem for version in VERSIONS for found in objects for problem in problems(found, version)] == []
    helm("lint", str(CHART), "--strict", values=values)


@pytest.mark.req("O4")
@pytest.mark.parametrize(
    ("kind", "values"),
    [
        *((kind, EVERYTHING) for kind in ("Deployment", "StatefulSet", "Job", "NetworkPolicy", "ScaledObject")),
        ("CronJob", THREE),
    ],
)
def test_a_field_that_a_version_does_not_have_is_found(kind: str, values: dict[str, Any]) -> None:
    found = copy.deepcopy(of_kind(rendered(values), kind)[0])
    found["spec"]["replicaz"] = 1
    assert all("replicaz" in " ".join(problems(found, version)) for version in VERSIONS)


@pytest.mark.req("O4")
@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({}, "postgres.to is needed"),
        (SMALLEST | {"otlp": {"endpoint": "http://traces.example:4318"}}, "otlp.to is needed"),
        (SMALLEST | {"nats": {"server": {"enabled": False}, "to": [{"podSelector": {}}]}}, "nats.url is needed"),
        (SMALLEST | {"nats": {"server": {"enabled": False}, "url": "nats://a:4222"}}, "nats.to is needed"),
        (SMALLEST | {"models": {"secret": "m", "to": []}}, "models.to is needed"),
        (SMALLEST | {"replica": 2}, "replica"),
        (SMALLEST | {"services": {"validator": {"setings": {}}}}, "setings"),
        (SMALLEST | {"services": {"validater": {"replicas": 1}}}, "validater"),
    ],
)
def test_values_that_leave_something_open_or_are_misspelt_are_refused_by_name(
    values: dict[str, Any], named: str
) -> None:
    with pytest.raises(Refused, match=re.escape(named)):
        rendered(values)


@each_values
@pytest.mark.req("O4", "E7")
def test_every_program_of_the_table_runs_as_the_table_says(values: dict[str, Any]) -> None:
    made = {pod.name: pod for pod in pods(rendered(values))}
    assert made.keys() - {"nats"} == TABLE.keys()
    for name, entry in TABLE.items():
        pod = made[name]
        assert pod.kind == ("Job" if entry["runs"] == "once" else "Deployment")
        assert re.search(rf"(^|/){entry['image']['package']}:[\w.]+$", pod.container["image"])
        assert pod.container["args"][: len(entry.get("command", []))] == entry.get("command", [])
        secrets = {e["name"]: e["valueFrom"]["secretKeyRef"]["key"] for e in pod.container["env"] if "valueFrom" in e}
        assert secrets == entry.get("secrets", {})
        assert ("livenessProbe" in pod.container) == ("health" in entry)


@each_values
@pytest.mark.req("O4", "S7")
def test_every_pod_is_confined_as_the_restricted_standard_asks_and_more(values: dict[str, Any]) -> None:
    for pod in pods(rendered(values)):
        assert pod.spec["securityContext"]["runAsNonRoot"] is True
        assert pod.spec["securityContext"]["runAsUser"] >= 10000
        assert pod.spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod.container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert pod.spec["automountServiceAccountToken"] is False
        assert pod.spec["enableServiceLinks"] is False, "STEMMA_NATS_PORT would pass for a misspelt setting"
        assert pod.container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert pod.container["resources"]["limits"].keys() == {"memory"}
        assert {*pod.writable} <= {"/tmp", "/data"}
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.spec.keys()
        assert {key for volume in pod.spec["volumes"] for key in volume} <= {"name", "emptyDir", "secret", "configMap"}


@pytest.mark.req("O4")
def test_what_always_runs_has_a_disruption_budget_and_replicas_or_an_autoscaler() -> None:
    for values in VALUES.values():
        objects = rendered(values)
        deployments = of_kind(objects, "Deployment")
        budgets = [budget["spec"]["selector"] for budget in of_kind(objects, "PodDisruptionBudget")]
        scaled = {found["spec"]["scaleTargetRef"]["name"] for found in of_kind(objects, "ScaledObject")}
        several = [found for found in of_kind(objects, "StatefulSet") if found["spec"]["replicas"] > 1]
        assert [found["spec"]["selector"] for found in [*deployments, *several]] == budgets
        for deployment in deployments:
            assert ("replicas" in deployment["spec"]) != (deployment["metadata"]["name"] in scaled)


@pytest.mark.req("O4")
def test_a_job_is_another_one_as_soon_as_it_runs_something_else() -> None:
    def names(values: dict[str, Any]) -> list[str]:
        return [job["metadata"]["name"] for job in of_kind(rendered(values), "Job")]

    assert names(SMALLEST) == names(SMALLEST | {"replicas": 3})
    assert not {*names(SMALLEST)} & {*names(SMALLEST | {"image": {"tag": "2"}})}
    both = zip(names(SMALLEST), names(SMALLEST | {"tenants": ["default", "garden"]}), strict=True)
    assert [before == after for before, after in both] == [True, False]


@pytest.mark.req("O4", "O1")
def test_copies_on_several_servers_are_looked_at_again_and_again_and_those_on_one_are_not() -> None:
    [again] = of_kind(rendered(THREE | {"tenants": ["default", "garden"]}), "CronJob")
    assert (again["spec"]["schedule"], again["spec"]["concurrencyPolicy"]) == ("*/5 * * * *", "Forbid")
    template = again["spec"]["jobTemplate"]["spec"]["template"]
    [container] = template["spec"]["containers"]
    assert container["args"] == ["--copies", "--tenant", "default", "--tenant", "garden"]
    assert {"name": "STEMMA_REPLICAS", "value": "3"} in container["env"]
    assert of_kind(rendered(EVERYTHING), "CronJob") == []


@pytest.mark.req("O4", "O1")
def test_what_looks_at_copies_is_else_as_what_provisions_and_the_next_time_is_its_next_try() -> None:
    [again] = of_kind(rendered(THREE), "CronJob")
    made = again["spec"]["jobTemplate"]["spec"]
    once = next(pod for pod in pods(rendered(THREE)) if pod.name == "provisioning")
    assert (made["backoffLimit"], made["template"]["spec"]["restartPolicy"]) == (0, "Never")
    made["template"]["spec"]["restartPolicy"] = once.spec["restartPolicy"]
    made["template"]["spec"]["containers"][0]["args"].remove("--copies")
    assert made["template"] == {"metadata": {"labels": once.labels}, "spec": once.spec}


@pytest.mark.req("O4", "S7")
def test_the_server_gets_the_secrets_of_its_configuration_and_no_other() -> None:
    text = (ROOT / "deploy" / "nats" / "nats.conf").read_text(encoding="utf-8")
    [server] = [pod for pod in pods(rendered(SMALLEST)) if pod.name == "nats"]
    secrets = {e["name"] for e in server.container["env"] if "secretKeyRef" in e["valueFrom"]}
    assert secrets == set(re.findall(r"\$(STEMMA_\w+)", text))


def own(pod: Pod) -> dict[str, str]:
    return {e["name"]: e.get("value", "secret") for e in pod.container["env"]}


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in [name for name in os.environ if name.startswith(("STEMMA_", "OTEL_"))]:
        monkeypatch.delenv(name)
    return monkeypatch


@each_values
@pytest.mark.req("O4", "P16")
def test_a_service_knows_every_variable_that_it_is_given(values: dict[str, Any], bare: pytest.MonkeyPatch) -> None:
    for pod in [pod for pod in pods(rendered(values)) if pod.name in SERVICES]:
        with bare.context() as environment:
            for name, value in own(pod).items():
                environment.setenv(name, value)
            environment.delenv("STEMMA_NATS_CA_FILE", raising=False)
            environment.setenv("STEMMA_CHECKPOINT_DSN", "postgresql://stemma@db/stemma")
            user = None if pod.name == subjects.GATEWAY else pod.name
            assert service(pod.name).load_settings().nats_user == user
            prefix = f"STEMMA_{pod.name.upper().replace('-', '_')}_"
            environment.setenv(f"{prefix}SLOTZ", "1")
            with pytest.raises(BadSettings, match=f"{prefix}SLOTZ"):
                service(pod.name).load_settings()


@pytest.mark.req("O4", "P16")
@pytest.mark.parametrize("name", SERVICES)
def test_every_setting_of_a_service_can_be_given_by_the_values(name: str) -> None:
    fields = service(name).settings_class.model_fields
    settings = {field: "x" for field, info in fields.items() if info.validation_alias is None}
    shared = {str(info.validation_alias): "x" for info in fields.values() if info.validation_alias is not None}
    values = SMALLEST | {"services": {name: {"settings": settings}}, "environment": shared}
    [pod] = [pod for pod in pods(rendered(values)) if pod.name == name]
    prefix = f"STEMMA_{name.upper().replace('-', '_')}_"
    wanted = {f"{prefix}{field.upper()}" for field in settings} | shared.keys()
    assert wanted <= own(pod).keys()
    assert {name for name in own(pod) if name.startswith("STEMMA_")} == wanted


PORTS = {"nats": [4222, 8222, 6222], "postgres": [5432, 22], "otlp": [4318, 80], "model": [443, 80], "dns": [53, 443]}


@pytest.mark.req("O4", "S1")
def test_the_policies_allow_the_connections_of_the_table_and_no_other() -> None:
    objects = rendered(SMALLEST | {"otlp": TRACED, "models": {"secret": "m"}, "autoscaling": {"enabled": True}})
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    for source in everybody.values():
        for target in everybody.values():
            for port in PORTS.get(target.name, [8080, 443]):
                connects = TABLE.get(source.name, {}).get("connects", [])
                wanted = SERVING.get((target.name, port)) in connects or (target.name, port) == ("dns", 53)
                if source.name not in {*TABLE, "nats"}:
                    to_monitoring = (source.name, target.name, port) == ("keda", "nats", 8222)
                    wanted = to_monitoring or target.name not in {*TABLE, "nats"}
                found = allowed(policies, source, target, port)
                assert found == wanted, f"{source.name} to {target.name}:{port}"


@pytest.mark.req("O1", "O4")
def test_three_servers_find_each_other_and_every_program_finds_all_three() -> None:
    objects = rendered(THREE)
    made = {pod.name: pod for pod in pods(objects)}
    [service] = [found for found in of_kind(objects, "Service") if found["metadata"]["name"] == "stemma-nats"]
    [servers] = of_kind(objects, "StatefulSet")
    assert servers["spec"]["replicas"] == 3
    name = service["metadata"]["name"]
    assert servers["spec"]["serviceName"] == name
    assert service["spec"]["publishNotReadyAddresses"] is True, "routes come before readiness"
    assert own(made["converter"])["STEMMA_NATS_URL"] == ",".join(f"nats://{name}-{n}.{name}:4222" for n in range(3))
    assert own(made["provisioning"])["STEMMA_REPLICAS"] == "3"
    assert {"name": "STEMMA_NATS_NODE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}} in made[
        "nats"
    ].container["env"]
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    other = Place("another", "10.244.0.99", "stemma", made["nats"].labels)
    assert allowed(policies, everybody["nats"], other, 6222)
    assert not allowed(of_kind(rendered(SMALLEST), "NetworkPolicy"), everybody["nats"], other, 6222)
    assert [place for place in everybody if place != "nats" and allowed(policies, everybody[place], other, 6222)] == []
    with pytest.raises(Refused, match=r"nats\.server\.routes is needed"):
        rendered(SMALLEST | {"nats": {"replicas": 3}})


@pytest.mark.req("O2", "O4")
def test_only_who_is_named_asks_services_for_their_metrics() -> None:
    everybody = places(rendered(THREE))
    for values, wanted in ((THREE, {"prometheus"}), (SMALLEST, set())):
        policies = of_kind(rendered(values), "NetworkPolicy")
        for name in [*SERVICES, "admission"]:
            others = {place for place in everybody if place != name}
            asking = {place for place in others if allowed(policies, everybody[place], everybody[name], 8080)}
            assert asking == wanted


@pytest.mark.req("O4")
def test_nobody_connects_to_models_traces_or_monitoring_that_are_not_there() -> None:
    objects = rendered(SMALLEST)
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    for name in TABLE:
        assert not allowed(policies, everybody[name], MODEL, 443)
        assert not allowed(policies, everybody[name], everybody["otlp"], 4318)
    assert not allowed(policies, everybody["keda"], everybody["nats"], 8222)


@pytest.mark.req("O4", "S1", "H7")
def test_the_notifier_alone_reaches_the_receivers_and_only_where_they_are_named() -> None:
    receivers = {"receivers": {"to": [{"ipBlock": {"cidr": f"{MODEL.address}/32"}}], "secret": "mail"}}
    objects = rendered(SMALLEST | receivers)
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    reached = [name for name in TABLE if allowed(policies, everybody[name], MODEL, 443)]
    assert reached == ["notifier"]
    assert not allowed(policies, everybody["notifier"], INSIDE, 443)
    given = {pod.name: pod.container["envFrom"] for pod in pods(objects) if "envFrom" in pod.container}
    assert given == {"notifier": [{"secretRef": {"name": "mail"}}]}


OPENID = {name: "x" for name in vars(providers).values() if str(name).startswith("STEMMA_OIDC_")}
OPENID |= {"STEMMA_OIDC_ISSUER": "https://login.example", "STEMMA_OIDC_CLIENT_ID": "stemma"}


@pytest.mark.req("H1", "O4", "S1")
def test_the_admission_and_the_gateway_get_the_openid_provider_and_the_gateway_alone_its_secret() -> None:
    values = SMALLEST | {"openid": {"secret": "provider"}, "gateway": {"secret": "registration"}}
    objects = rendered(values)
    assert [problem for version in VERSIONS for found in objects for problem in problems(found, version)] == []
    given = {
        pod.name: [source["secretRef"]["name"] for source in pod.container["envFrom"]]
        for pod in pods(objects)
        if "envFrom" in pod.container
    }
    assert given == {"admission": ["provider"], "gateway": ["provider", "registration"]}
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    assert [name for name in TABLE if allowed(policies, everybody[name], MODEL, 443)] == ["admission", "gateway"]
    assert not allowed(policies, everybody["gateway"], INSIDE, 443)
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    files = {name: [file["path"] for file in services[name]["env_file"]] for name in given}
    assert files == {"admission": ["openid.env"], "gateway": ["openid.env", "gateway.env"]}


@pytest.mark.req("H1", "O4", "P16")
def test_each_variable_of_an_openid_provider_is_known_to_those_who_get_it(bare: pytest.MonkeyPatch) -> None:
    assert len(OPENID) == 6
    for name, value in OPENID.items():
        bare.setenv(name, value)
    bare.setenv("STEMMA_GATEWAY_OIDC_CLIENT_SECRET", "s")
    assert Trusted.of(os.environ) == Trusted("https://login.example", ("stemma", "x"), "x", "x", "x")
    settings = service(subjects.GATEWAY).load_settings()
    assert (settings.oidc_issuer, settings.oidc_client_id) == ("https://login.example", "stemma")
    assert settings.oidc_client_secret.get_secret_value() == "s"
    guide = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in OPENID if f"`{name}`" not in guide] == []


@pytest.mark.req("O4", "S1")
def test_policies_are_about_names_only_and_a_policy_less_shows() -> None:
    objects = rendered(SMALLEST)
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    without = [policy for policy in policies if policy["metadata"]["name"] not in {"stemma", "stemma-converter"}]
    assert not allowed(policies, everybody["neighbour"], everybody["converter"], 8080)
    assert allowed(without, everybody["neighbour"], everybody["converter"], 8080)
    assert allowed(policies, everybody["converter"], everybody["dns"], 53, "UDP")
    assert not allowed(policies, everybody["converter"], everybody["dns"], 53, "SCTP")


@pytest.mark.req("O4", "S7")
def test_the_secret_that_the_guide_makes_has_every_key_that_a_pod_asks_for(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    [dsn] = re.findall(r"^ *echo (STEMMA_CHECKPOINT_DSN=\S+) >> \.env$", guide, re.MULTILINE)
    [making] = re.findall(r"^ *kubectl (-n stemma create secret generic stemma .*)$", guide, re.MULTILINE)
    written = [f"{name}={value}" for name, value in fresh_variables().items()]
    (tmp_path / ".env").write_text("\n".join([*written, dsn, ""]))
    command = [program("kubectl"), *making.split(), "--dry-run=client", "--output", "yaml"]
    done = subprocess.run(command, cwd=tmp_path, env={"HOME": str(tmp_path)}, check=True, capture_output=True)
    made = yaml.safe_load(done.stdout)
    asked = [
        e["valueFrom"]["secretKeyRef"]
        for pod in pods(rendered(EVERYTHING))
        for e in pod.container["env"]
        if "secretKeyRef" in e.get("valueFrom", {})
    ]
    assert {reference["name"] for reference in asked} == {made["metadata"]["name"]}
    assert {reference["key"] for reference in asked} <= made["data"].keys()


@pytest.mark.req("H1", "O4")
def test_the_ingress_leads_to_the_gateway_and_its_controller_alone_gets_there() -> None:
    given = {"host": "stemma.example", "className": "nginx", "tls": "certificate", "annotations": {"a": "b"}}
    given |= {"proxies": ["10.42.0.0/16", "fd00::1"]}
    objects = rendered(SMALLEST | {"gateway": given})
    assert [problem for version in VERSIONS for found in objects for problem in problems(found, version)] == []
    [ingress] = of_kind(objects, "Ingress")
    [service] = [found for found in of_kind(objects, "Service") if found["metadata"]["name"] == "stemma-gateway"]
    [rule] = ingress["spec"]["rules"]
    assert rule["host"] == "stemma.example"
    assert ingress["spec"]["tls"] == [{"hosts": ["stemma.example"], "secretName": "certificate"}]
    backend = {"name": service["metadata"]["name"], "port": {"name": service["spec"]["ports"][0]["name"]}}
    assert rule["http"]["paths"][0]["backend"] == {"service": backend}
    [pod] = [pod for pod in pods(objects) if pod.name == "gateway"]
    assert service["spec"]["selector"].items() <= pod.labels.items()
    numbers = {port["name"]: port["containerPort"] for port in pod.container["ports"]}
    assert numbers[service["spec"]["ports"][0]["targetPort"]] == TABLE["gateway"]["serves"]
    everybody, policies = places(objects), of_kind(objects, "NetworkPolicy")
    others = [place for place in everybody.values() if place.name != "gateway"]
    reaching = [place.name for place in others if allowed(policies, place, everybody["gateway"], numbers["http"])]
    assert reaching == ["ingress"]
    assert of_kind(rendered(SMALLEST), "Ingress") == []


@pytest.mark.req("H1", "O4", "S1")
def test_the_gateway_of_a_cluster_believes_its_ingress_alone_and_answers_to_the_name_of_it() -> None:
    own = ",".join(f"stemma-gateway{end}" for end in ("", ".stemma", ".stemma.svc", ".stemma.svc.cluster.local"))
    for given, hosts, proxies in (
        ({}, f"127.0.0.1,localhost,{own}", "127.0.0.1"),
        (
            {"host": "stemma.example", "proxies": ["10.42.0.0/16", "fd00::1"]},
            f"127.0.0.1,localhost,{own},stemma.example",
            "10.42.0.0/16,fd00::1",
        ),
    ):
        [pod] = [pod for pod in pods(rendered(SMALLEST | {"gateway": given})) if pod.name == "gateway"]
        told = {each["name"]: each.get("value") for each in pod.container["env"]}
        assert told["STEMMA_GATEWAY_TRUSTED_HOSTS"] == hosts
        assert told["STEMMA_GATEWAY_TRUSTED_PROXIES"] == proxies
    with pytest.raises(Refused, match=r"gateway\.proxies is needed"):
        rendered(SMALLEST | {"gateway": {"host": "stemma.example"}})
