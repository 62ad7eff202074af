"""The image of the database server: pulled, or made of Debian's PostgreSQL of the same version."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.container.base_image import SUITE
from tests.container.image import DATABASE
from tests.container.package_settings import apt_mounts
from tests.container.programs import Failed
from tests.container.storage import Storage
from tests.patience import PATIENCE

DOCKERFILE = r"""
FROM {base}
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 postgres \
    && mkdir /etc/postgresql-common \
    && echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf \
    && apt-get update && apt-get install -y --no-install-recommends postgresql-{version} \
    && install --directory --owner postgres --group postgres --mode 700 /var/lib/postgresql/data
COPY --chmod=755 start /usr/local/bin/start
ENV PATH="/usr/lib/postgresql/{version}/bin:$PATH" PGDATA=/var/lib/postgresql/data
CMD ["start"]
"""
# As the image `postgres` does at its first start.
START = """#!/bin/sh -e
umask 077
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    printf %s "$POSTGRES_PASSWORD" >/tmp/password
    initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-host scram-sha-256 \\
        --auth-local trust --encoding UTF8 --no-locale
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB;" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -c "listen_addresses=*"
"""


def provide(storage: Storage, project: Path) -> str:
    """Puts it under the name DATABASE; says where it comes from."""
    compose, dockerfile = (project / name for name in ("docker-compose.yml", "Dockerfile"))
    (version,) = re.findall(r"image: postgres:(\d+)", compose.read_text())
    base = re.findall(r"^FROM ([^\s:]+:\S+)", dockerfile.read_text(), re.M)[0]
    name = f"docker.io/library/postgres:{version}"
    try:
        storage.buildah("pull", "--quiet", name, timeout=2 * PATIENCE)
    except Failed:
        _make(storage, DOCKERFILE.format(base=f"docker.io/library/{base}", version=version))
        return f"{name}: made of Debian {SUITE}, as it cannot be pulled here"
    storage.buildah("tag", name, DATABASE)
    return f"{name}: pulled"


def _make(storage: Storage, dockerfile: str) -> None:
    with TemporaryDirectory() as name:
        folder, settings = Path(name) / "context", Path(name) / "settings"
        folder.mkdir()
        settings.mkdir()
        (folder / "Dockerfile").write_text(dockerfile)
        (folder / "start").write_text(START)
        storage.buildah(
            "build", "--isolation", "chroot", "--pull-never", "--layers", "--tag", DATABASE,
            *(f"--volume={mount}" for mount in apt_mounts(settings, SUITE)), folder,
        )  # fmt: skip
