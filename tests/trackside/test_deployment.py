"""What docker-compose.yml promises and a run cannot show; tests/container/ runs it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.container import compose

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
ONCE = {"migrate", "backup"}


def test_only_the_proxy_has_ports_and_what_keeps_data_has_no_way_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    inside = {name for name, service in SERVICES.items() if service["networks"] == ["inside"]}
    assert inside == {"db", "redis"}
    assert COMPOSE["networks"]["inside"]["internal"] is True


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_contained(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["mem_limit"]
    if name == "proxy":
        assert "unprivileged" in service["image"]
    else:
        assert service["user"] not in ("0", "root")


@pytest.mark.parametrize("name", sorted(set(SERVICES) - ONCE - {"proxy"}))
def test_every_service_that_stays_says_how_it_is_and_gets_time_to_end(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["stop_grace_period"]


def test_uploads_on_their_way_lie_on_a_disk_and_not_in_the_memory_of_who_takes_them() -> None:
    site = (ROOT / "trackside/proxy/trackside.conf.template").read_text()
    spool = SERVICES["proxy"]["environment"]["SPOOL"]
    assert re.findall(r"client_body_temp_path (\S+)/", site) == ["${SPOOL}"]
    assert re.findall(r"proxy_temp_path (\S+)/", site) == ["${SPOOL}"]
    for name, folder in (
        ("proxy", spool),
        *((name, SERVICES[name]["environment"]["TMPDIR"]) for name in ("web", "worker", "migrate")),
    ):
        assert folder in SERVICES[name]["volumes"]
        assert all("size=16m" in each for each in SERVICES[name]["tmpfs"] if "/tmp" in each)


def test_messages_outlive_redis_and_are_never_evicted() -> None:
    command = SERVICES["redis"]["command"]
    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"
    assert "--requirepass" in command


def test_no_command_is_wrapped_in_a_shell_that_swallows_signals() -> None:
    for name in ("web", "worker", "migrate"):
        assert isinstance(SERVICES[name].get("command", []), list)


def test_the_proxy_says_itself_when_a_request_began_and_whence_it_came() -> None:
    site = (ROOT / "trackside/proxy/trackside.conf.template").read_text()
    times = 'X-Arrived "$arrived $msec"'
    for header in (times, "X-Forwarded-For $remote_addr", "X-Forwarded-Proto"):
        assert f"proxy_set_header {header}" in site


def test_the_pages_of_the_proxy_exist_and_need_no_other_file() -> None:
    site = (ROOT / "trackside/proxy/trackside.conf.template").read_text()
    folder, _, _ = SERVICES["proxy"]["volumes"][0].removeprefix("./trackside/proxy:").partition(":")
    assert SERVICES["proxy"]["environment"]["PAGES"] == folder
    assert "alias ${PAGES}/refusal.html;" in site  # crowded.html is the same file
    pages = set(re.findall(r"location = /(\w+\.html)", site)) - {"crowded.html"}
    assert pages == {"away.html", "refusal.html"}
    for page in pages:
        text = (ROOT / "trackside/proxy" / page).read_text()
        assert re.findall(r'<script|<link|src=|url\(|@import|href="(?!/")[^"]', text) == []


def test_a_served_site_passes_djangos_own_checks_of_deployment(tmp_path: Path) -> None:
    environment = SERVICES["web"]["environment"] | {
        "SECRET_KEY": "a-key-of-more-than-fifty-characters-and-many-different-ones-0123456789",
        "ALLOWED_HOSTS": "evaluation.example.org",
        "SITE_URL": "https://evaluation.example.org",
        "EMAIL_URL": "smtp://mail.example.org:25",
        "DATABASE_URL": "postgres://trackside:word@db:5432/trackside",
        "BROKER_URL": "redis://:word@redis:6379/0",
        "HTTPS": "true",
        "VAR_DIR": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    checked = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


ELSEWHERE = {"depends_on", "environment", "networks", "volumes", "tmpfs", "ports"}


def alone(name: str) -> dict[str, Any]:
    """The only service of docker-compose.NAME.yml, which is for a host of its own. It must run as
    that of the site does, with every setting."""
    services = yaml.safe_load((ROOT / f"docker-compose.{name}.yml").read_text())["services"]
    assert list(services) == [name]
    for one, other in ((services[name], SERVICES[name]), (SERVICES[name], services[name])):
        for key in set(one) - ELSEWHERE:
            assert one[key] == other.get(key), key
    return dict(services[name])


def test_a_worker_host_runs_the_same_command_as_the_workers_of_the_site() -> None:
    of_web = {"ARRIVAL_HEADER", "NUM_PROXIES"}
    own = set(alone("worker")["environment"])
    assert set(SERVICES["worker"]["environment"]) - of_web <= own


def test_a_web_host_runs_as_the_web_servers_of_the_site_and_is_one_of_the_proxy_s() -> None:
    there, here = alone("web"), SERVICES["web"]["environment"]
    assert set(here) <= set(there["environment"])
    of_the_site = {"ARRIVAL_HEADER", "NUM_PROXIES", "HTTPS", "JSON_LOGS", "TMPDIR"}
    assert {name: there["environment"][name] for name in of_the_site} == {
        name: here[name] for name in of_the_site
    }
    assert there["environment"]["TMPDIR"] in there["volumes"]
    assert there["ports"] == ["${LISTEN:?set it in .env}:8000"]
    text = (ROOT / "docs" / "operations.md").read_text()
    (named,) = re.findall(r'^WEB_SERVERS="(.*)"$', text, re.M)
    variables = dict.fromkeys(
        ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL"), "x"
    )
    for given, expected in (({}, "server web:8000;"), ({"WEB_SERVERS": named}, named)):
        services = compose.services(ROOT / "docker-compose.yml", variables | given)
        assert services["proxy"]["environment"]["WEB_SERVERS"] == expected
    assert named.startswith("server web:8000; ")
