"""The proxy's configuration for Debian's nginx, made from the template of the container's."""

import os
from collections.abc import Sequence
from pathlib import Path
from string import Template

PROXY_DIR = Path(__file__).resolve().parent / "proxy"
NOBODY = "unix:"  # no client has such an address, so X-Forwarded-For is never believed


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
    """Puts `site`, the contents of a block http, into a complete nginx.conf."""
    folder.mkdir(parents=True, exist_ok=True)
    unused = "".join(
        f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("fastcgi", "uwsgi", "scgi")
    )
    path = folder / "nginx.conf"
    path.write_text(
        # Started by root it would become nobody, who cannot enter this folder.
        f"{'user root;' if os.getuid() == 0 else ''}\n"
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\n"
        "events { worker_connections 1024; }\n"
        f"http {{\n    access_log off;\n{unused}{site}}}\n"
    )
    return path
