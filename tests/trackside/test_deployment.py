"""What docker-compose.yml promises and a run cannot show; tests/container/ runs it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

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


def test_a_worker_host_runs_the_same_command_as_the_workers_of_the_site() -> None:
    alone = yaml.safe_load((ROOT / "docker-compose.worker.yml").read_text())["services"]
    beside = SERVICES["worker"]
    assert list(alone) == ["worker"]
    elsewhere = {"depends_on", "environment", "networks", "volumes", "tmpfs"}
    assert {name: value for name, value in alone["worker"].items() if name not in elsewhere} == {
        name: value for name, value in beside.items() if name not in elsewhere
    }
    of_web = {"ARRIVAL_HEADER", "NUM_PROXIES"}
    assert set(beside["environment"]) - of_web <= set(alone["worker"]["environment"])
