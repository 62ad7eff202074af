"""Other sites with which people can log in, from the environment. Without their settings there are
none."""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

# Part of the callback address that the institution's server has to know.
INSTITUTION = "institution"


def login_providers(env: environ.Env) -> dict[str, dict[str, Any]]:
    """The value of allauth's SOCIALACCOUNT_PROVIDERS."""
    providers: dict[str, dict[str, Any]] = {}
    orcid = {
        "client_id": env.str("ORCID_CLIENT_ID", default=""),
        "secret": env.str("ORCID_SECRET", default=""),
    }
    if _is_configured("ORCID", orcid):
        domain = env.str("ORCID_DOMAIN", default="orcid.org")
        providers["orcid"] = {"BASE_DOMAIN": domain, "APPS": [{"name": "ORCID"} | orcid]}
    institution = {
        "client_id": env.str("OIDC_CLIENT_ID", default=""),
        "secret": env.str("OIDC_SECRET", default=""),
        "server_url": env.str("OIDC_SERVER_URL", default=""),
    }
    if _is_configured("OIDC", institution):
        name = env.str("OIDC_NAME", default="your institution")
        server = {"server_url": institution.pop("server_url")}
        app = {"provider_id": INSTITUTION, "name": name, "settings": server} | institution
        providers["openid_connect"] = {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}
    return providers


def _is_configured(prefix: str, values: dict[str, str]) -> bool:
    """Whether all values are set. Raises `ImproperlyConfigured` for some of them."""
    missing = [f"{prefix}_{name.upper()}" for name, value in values.items() if not value]
    if missing and len(missing) < len(values):
        raise ImproperlyConfigured(f"Logins with {prefix} also need {' and '.join(missing)}.")
    return not missing
