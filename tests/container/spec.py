"""A service of a compose file as the OCI runtime specification says it."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.container.compose import bytes_of
from tests.container.network import Namespace
from tests.container.programs import run

INIT = "/sbin/docker-init"


def runtime_spec(
    service: dict[str, Any],
    configuration: dict[str, Any],
    *,
    rootfs: Path,
    namespace: Namespace,
    hosts: Path,
    mounts: list[dict[str, Any]],
    limits: bool,
) -> dict[str, Any]:
    """What runc writes as its example, with all that the service says put in its place."""
    spec = _example(rootfs.parent)
    spec["hostname"] = namespace.host
    spec["root"] = {"path": str(rootfs), "readonly": service.get("read_only", False)}
    spec["process"] |= {
        "terminal": False,
        "user": _user(str(service.get("user", configuration.get("User", ""))), rootfs),
        "args": [INIT, "--", *_command(service, configuration)],
        "env": list(_environment(service, configuration, namespace.host)),
        "cwd": configuration.get("WorkingDir") or "/",
        "capabilities": _capabilities(service),
        "noNewPrivileges": "no-new-privileges:true" in service.get("security_opt", []),
    }
    spec["process"].pop("rlimits", None)
    spec["mounts"] += [
        _file("/etc/hosts", hosts),
        _file(INIT, Path("/usr/bin/tini-static")),
        *mounts,
    ]
    for each in spec["linux"]["namespaces"]:
        if each["type"] == "network":
            each["path"] = namespace.path
    spec["linux"]["resources"] = _resources(service) if limits else {}
    return spec


def _example(folder: Path) -> dict[str, Any]:
    written = folder / "config.json"
    written.unlink(missing_ok=True)
    run("runc", "spec", "--bundle", folder)
    return dict(json.loads(written.read_text()))


def _user(user: str, rootfs: Path) -> dict[str, int]:
    """`10001:10001`, or the name of an account of the image."""
    if ":" not in user:
        accounts = (rootfs / "etc/passwd").read_text().splitlines()
        (user,) = [
            ":".join(each.split(":")[2:4]) for each in accounts if each.startswith(f"{user}:")
        ]
    uid, _, gid = user.partition(":")
    return {"uid": int(uid), "gid": int(gid)}


def _command(service: dict[str, Any], configuration: dict[str, Any]) -> list[str]:
    command = service.get("command", configuration.get("Cmd", []))
    words = shlex.split(command) if isinstance(command, str) else command
    return [*configuration.get("Entrypoint", []), *words]


def _environment(
    service: dict[str, Any], configuration: dict[str, Any], hostname: str
) -> Iterator[str]:
    yield f"HOSTNAME={hostname}"
    yield "HOME=/"
    yield from configuration.get("Env", [])
    yield from (f"{name}={value}" for name, value in service.get("environment", {}).items())


def _capabilities(service: dict[str, Any]) -> dict[str, list[str]]:
    if service.get("cap_drop") != ["ALL"] or service.get("cap_add"):
        raise ValueError("Only services without any capability are run here.")
    kinds = ("bounding", "effective", "inheritable", "permitted", "ambient")
    return {kind: [] for kind in kinds}


def _resources(service: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "mem_limit" in service:
        found["memory"] = {"limit": bytes_of(service["mem_limit"])}
    if "cpu_shares" in service:
        found["cpu"] = {"shares": service["cpu_shares"]}
    return found


def _file(target: str, source: Path) -> dict[str, Any]:
    options = ["bind", "ro"]
    return {"destination": target, "type": "bind", "source": str(source), "options": options}
