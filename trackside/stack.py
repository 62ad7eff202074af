"""The production stack as processes on one machine: proxy, two web servers and two workers without
a shared folder, PostgreSQL, Redis and an S3 server, from installed packages.

`make stack` starts it and waits for Ctrl-C. The load tests start their own. It is for this machine
only: its services have no passwords, and its S3 server stores files in memory.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from trackside.folders import BASE_DIR
from trackside.processes import (
    HOST,
    WEB,
    WORKER,
    Broken,
    StopRequest,
    Supervisor,
    answers,
    free_port,
    listens,
    supervise,
)

POSTGRES_BINARIES = "/usr/lib/postgresql/*/bin"
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
PROXY_DIR = Path(__file__).resolve().parent / "proxy"
NOBODY = "unix:"  # no client has such an address, so X-Forwarded-For is never trusted


class Missing(Broken):
    """A program of the stack is not installed. The message names its package."""


@dataclass
class Stack(Supervisor):
    """The running services, each with its own folder, and their addresses."""

    port: int = 0  # of the proxy
    postgres: int = 0  # its process; the other servers are among `processes`

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def environment_of(self, name: str) -> dict[str, str]:
        return self.environment | {"VAR_DIR": str(self.folder / name)}


@contextmanager
def running(
    folder: Path, *, webs: int = 2, workers: int = 2, port: int = 0, inside: str = HOST,
    others: Sequence[str] = (), wish: StopRequest | None = None, **settings: str,
) -> Iterator[Stack]:  # fmt: skip
    """The stack, with an empty, migrated database, until the block ends. PostgreSQL, Redis and the
    store listen on `inside`, where other hosts can reach them. `others` are addresses of web
    servers on other hosts, which the caller starts. Raises `Missing`."""
    programs = {name: program(name) for name in ("redis-server", "nginx", "initdb", "pg_ctl")}
    folder.mkdir(parents=True, exist_ok=True)
    redis, postgres, store = free_port(), free_port(), free_port()
    environment = _environment(inside, redis, postgres, store) | settings
    stack = Stack(folder, environment, wish, port=port or free_port())
    with ExitStack() as ends:
        stack.postgres = ends.enter_context(_postgres(inside, postgres, programs))
        ends.callback(lambda: [stack.stop(name) for name in reversed(list(stack.processes))])
        _start_redis(stack, inside, redis, programs["redis-server"])
        _start_store(stack, inside, store)
        stack.manage("migrate", "--verbosity", "0")
        addresses = [_start_web(stack, f"web{number}") for number in range(webs)]
        for number in range(workers):
            _start_worker(stack, f"worker{number}")
        proxy = folder / "proxy"
        path = write_configuration(proxy, listen=f"{HOST}:{stack.port}", webs=[*addresses, *others])
        stack.start("proxy", programs["nginx"], "-c", str(path), "-p", str(proxy))
        stack.wait_for("the proxy", lambda: listens(stack.port))
        stack.wait_for("the site", lambda: answers(stack.port, "/healthz?of=web"))
        yield stack


def _environment(inside: str, redis: int, postgres: int, store: int) -> dict[str, str]:
    return {name: os.environ[name] for name in KEPT if name in os.environ} | {
        "DJANGO_SETTINGS_MODULE": "trackside.settings",
        "SECRET_KEY": "for-one-machine-alone-" + "x" * 40,
        "DATABASE_URL": f"postgres://postgres@{inside}:{postgres}/postgres",
        "BROKER_URL": f"redis://{inside}:{redis}/0",
        "S3_BUCKET": "trackside",
        "S3_ENDPOINT": f"http://{inside}:{store}",
        "S3_REGION": "us-east-1",
        "S3_ACCESS_KEY": "key",
        "S3_SECRET_KEY": "secret",
        "ARRIVAL_HEADER": "X-Arrived",
        "NUM_PROXIES": "1",
        "STATICFILES_STORAGE": "whitenoise.storage.CompressedManifestStaticFilesStorage",
        "WHITENOISE_USE_FINDERS": "false",
        "METRICS_TOKEN": "metrics",
        "MALLOC_ARENA_MAX": "2",  # as in the Dockerfile
        "THROTTLE_UPLOADS": "100000/hour",  # the load tests are the script of one team
        "THROTTLE_USER": "100000/min",
        "LEASE_SECONDS": os.environ.get("LEASE_SECONDS", "15"),
        "RENEWAL_SECONDS": os.environ.get("RENEWAL_SECONDS", "5"),
        "SWEEP_SECONDS": os.environ.get("SWEEP_SECONDS", "2"),
        "LOG_LEVEL": "WARNING",
    }


@contextmanager
def _postgres(inside: str, port: int, programs: dict[str, str]) -> Iterator[int]:
    """A cluster in a folder that its own user can enter, because PostgreSQL refuses to run as
    root."""
    with TemporaryDirectory(prefix="trackside-postgres-") as folder:
        as_owner: list[str] = []
        if os.getuid() == 0:
            as_owner = ["runuser", "-u", "postgres", "--"]
            shutil.chown(folder, "postgres")
        control = [*as_owner, programs["pg_ctl"], "--silent", "--wait", "--pgdata", folder]
        _run(*as_owner, programs["initdb"], "--pgdata", folder, "--username", "postgres",
             "--auth", "trust", "--no-sync")  # fmt: skip
        with (Path(folder) / "pg_hba.conf").open("a") as rules:
            print("host all all samenet trust", file=rules)
        # Without fsync: the data are deleted in the end.
        options = f"-p {port} -c listen_addresses={inside} -c unix_socket_directories= -c fsync=off"
        _run(*control, "start", "--log", f"{folder}/log", "-o", options)
        try:
            yield int((Path(folder) / "postmaster.pid").read_text().split()[0])
        finally:
            _run(*control, "stop", "--mode", "immediate")


def _start_redis(stack: Stack, inside: str, port: int, program: str) -> None:
    (stack.folder / "redis").mkdir()
    stack.start(
        "redis", program, "--port", str(port), "--bind", inside, "--appendonly", "yes",
        "--protected-mode", "no",
        "--maxmemory-policy", "noeviction", "--dir", str(stack.folder / "redis"),
    )  # fmt: skip
    stack.wait_for("Redis", lambda: listens(port, inside))


def _start_store(stack: Stack, inside: str, port: int) -> None:
    import boto3

    stack.start("store", sys.executable, "-m", "moto.server", "-H", inside, "-p", str(port))
    stack.wait_for("the S3 server", lambda: listens(port, inside))
    client = boto3.client(
        "s3",
        endpoint_url=f"http://{inside}:{port}",
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",  # noqa: S106 - of a server of this machine alone
    )
    client.create_bucket(Bucket="trackside")


def _start_web(stack: Stack, name: str) -> str:
    port = free_port()
    static, first = (stack.folder / of / "static" for of in (name, "web0"))
    # All web processes serve the same files, and collecting them takes seconds.
    if first.exists():
        shutil.copytree(first, static)
    else:
        stack.manage("collectstatic", "--no-input", VAR_DIR=str(stack.folder / name))
    stack.start(
        *(name, *WEB, "--bind", f"{HOST}:{port}", "--keep-alive", "30"),
        *("--worker-class", "trackside.web_worker.WebWorker"),
    )
    return f"{HOST}:{port}"


def _start_worker(stack: Stack, name: str) -> None:
    # a low priority, so that pages and uploads come before scoring
    nice = ("nice", "-n", "10", *WORKER, "-c", "1", "-n", f"{name}@%h")
    stack.start(name, *nice, LOG_LEVEL="INFO")
    stack.wait_for(name, lambda: stack.is_ready(name))


def program(name: str) -> str:
    packages = {"redis-server": "redis-server", "nginx": "nginx"}
    paths = [*sorted(Path("/").glob(POSTGRES_BINARIES.lstrip("/"))), Path("/usr/sbin")]
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *map(str, paths)]))
    if found is None:
        raise Missing(
            f"{name} is missing: on Debian, apt install {packages.get(name, 'postgresql')}"
        )
    return found


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - named above
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr.decode()}")


def write_configuration(
    folder: Path,
    *,
    listen: str,
    webs: Sequence[str],
    trusted_proxy: str = NOBODY,
    connections_per_client: int = 1000,
) -> Path:
    """Writes nginx.conf into `folder` and returns its path. `webs` are addresses of web processes,
    `trusted_proxy` is the address of a proxy in front of this one. A measurement has all its
    clients on one address, so it may have all connections by default."""
    site = Template((PROXY_DIR / "trackside.conf.template").read_text()).safe_substitute(
        WEB_SERVERS="\n    ".join(f"server {address} fail_timeout=1s;" for address in webs),
        PROXY_LISTEN=listen,
        MAX_UPLOAD="401m",
        PAGES=str(PROXY_DIR),
        SPOOL=str(folder),
        PUBLIC_SCHEME="http",
        TRUSTED_PROXY=trusted_proxy,
        CONNECTIONS_PER_CLIENT=str(connections_per_client),
    )
    return write_http(folder, site)


def write_http(folder: Path, site: str) -> Path:
    """Writes a complete nginx.conf with `site` as the content of its block http."""
    folder.mkdir(parents=True, exist_ok=True)
    unused = "".join(
        f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("fastcgi", "uwsgi", "scgi")
    )
    path = folder / "nginx.conf"
    path.write_text(
        # If root starts nginx, its workers run as nobody, who cannot enter this folder.
        f"{'user root;' if os.getuid() == 0 else ''}\n"
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\n"
        "events { worker_connections 1024; }\n"
        f"http {{\n    access_log off;\n{unused}{site}}}\n"
    )
    return path


def write_settings(folder: Path, environment: Mapping[str, str]) -> Path:
    """Writes a file with which a shell runs commands of manage.py on the stack."""
    path = folder / "settings.sh"
    # Before the secrets are written into it.
    path.touch(0o600)
    settings = {name: value for name, value in environment.items() if name not in KEPT}
    path.write_text("".join(f"export {k}={shlex.quote(v)}\n" for k, v in settings.items()))
    return path


def run_stack(wish: StopRequest) -> None:
    folder = Path(os.environ.get("STACK_DIR") or BASE_DIR / "var" / "stack")
    shutil.rmtree(folder, ignore_errors=True)
    with running(folder, port=int(os.environ.get("PORT") or 8000), wish=wish) as stack:
        settings = write_settings(folder, stack.environment_of("web0"))
        print(f"Open {stack.url}/ ; logs are in {folder}. Ctrl-C stops it.", flush=True)
        print(
            "The first account, which may create campaigns and approve others, is made in another "
            f"terminal:\n  . {settings} && {sys.executable} manage.py createsuperuser",
            flush=True,
        )
        stack.watch()


if __name__ == "__main__":
    sys.exit(supervise(run_stack))
