"""A compose file as `docker compose` reads it: merged, with the variables of .env filled in."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

VARIABLE = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<name>\w+)(?::(?P<how>[-?])(?P<word>[^}]*))?\})")
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def services(path: Path, variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Every service, with `env_file` merged into its environment."""
    found: dict[str, dict[str, Any]] = _filled(
        yaml.safe_load(path.read_text())["services"], variables
    )
    for service in found.values():
        own = service.get("environment", {})
        service["environment"] = (dict(variables) if "env_file" in service else {}) | own
    return found


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, variables) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, variables) for each in value]
    return (
        VARIABLE.sub(lambda found: _one(found, variables), value)
        if isinstance(value, str)
        else value
    )


def _one(found: re.Match[str], variables: Mapping[str, str]) -> str:
    if found["dollar"]:
        return "$"
    value = variables.get(found["name"], "")
    if value or not found["how"]:
        return value
    if found["how"] == "?":
        raise KeyError(f"{found['name']}: {found['word']}")
    return found["word"]


def bytes_of(size: str) -> int:
    """`512m` in bytes."""
    return int(float(size[:-1]) * UNITS[size[-1].lower()])


def seconds_of(time: str) -> float:
    """`30s` in seconds."""
    assert time.endswith("s"), time
    return float(time[:-1])
