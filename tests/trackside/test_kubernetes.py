"""The manifests of docs/operations.md are valid, and say the same as docker-compose.yml."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = ROOT / "docs" / "examples" / "kubernetes.yaml"
ITEMS: list[dict[str, Any]] = yaml.safe_load(MANIFESTS.read_text())["items"]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
OLDEST = "1.31"


def item(kind: str, name: str) -> dict[str, Any]:
    (found,) = (each for each in ITEMS if (each["kind"], each["metadata"]["name"]) == (kind, name))
    return found


def container(kind: str, name: str) -> dict[str, Any]:
    spec = item(kind, name)["spec"]
    job = spec["jobTemplate"]["spec"] if kind == "CronJob" else spec
    (only,) = job["template"]["spec"]["containers"]
    return only


@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
def test_every_object_is_valid(version: str) -> None:
    for each in ITEMS:
        kubernetes_validate.validate(each, version, strict=True)


def test_a_mistyped_field_is_not_valid() -> None:
    wrong = item("Deployment", "web")
    wrong = wrong | {"spec": wrong["spec"] | {"replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
        kubernetes_validate.validate(wrong, OLDEST, strict=True)


@pytest.mark.parametrize(
    ("kind", "name", "service"),
    [("Deployment", "worker", "worker"), ("Job", "migrate", "migrate")],
)
def test_commands_are_those_of_compose(kind: str, name: str, service: str) -> None:
    assert container(kind, name)["command"] == COMPOSE[service]["command"]


def test_the_proxy_has_the_settings_of_compose() -> None:
    names = {each["name"] for each in container("Deployment", "proxy")["env"]}
    assert names == set(COMPOSE["proxy"]["environment"])
    assert container("Deployment", "proxy")["image"] == COMPOSE["proxy"]["image"]


def test_every_setting_is_one_of_the_site() -> None:
    known = set(re.findall(r'"([A-Z][A-Z0-9_]+)"', (ROOT / "trackside/settings.py").read_text()))
    of_secret = set(re.findall(r"--from-literal=(\w+)=", MANIFESTS.read_text()))
    given = set(item("ConfigMap", "settings")["data"]) | of_secret
    assert given - known <= {"TMPDIR"}  # read by Python
    assert set(COMPOSE["web"]["environment"]) <= given


def test_nothing_runs_as_root_or_writes_into_its_image() -> None:
    for kind, name in (
        ("Job", "migrate"), ("Deployment", "web"), ("Deployment", "worker"),
        ("Deployment", "proxy"), ("CronJob", "backup"),
    ):  # fmt: skip
        assert container(kind, name)["securityContext"]["readOnlyRootFilesystem"]
        assert "memory" in container(kind, name)["resources"]["limits"]
        spec = item(kind, name)["spec"]
        job = spec["jobTemplate"]["spec"] if kind == "CronJob" else spec
        assert job["template"]["spec"]["securityContext"]["runAsNonRoot"]
