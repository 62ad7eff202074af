"""Other sites with which people can log in, from the environment. Without their settings there are
none."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from trackside.environment import Environment

# Part of the callback URL that the institution's server has to know.
INSTITUTION = "institution"


def login_providers(env: Environment) -> dict[str, dict[str, Any]]:
    """The value of allauth's SOCIALACCOUNT_PROVIDERS."""
    providers: dict[str, dict[str, Any]] = {}
    orcid = {
        "client_id": env.string("ORCID_CLIENT_ID"),
        "secret": env.string("ORCID_SECRET"),
    }
    if _is_configured("ORCID", orcid):
        domain = env.string("ORCID_DOMAIN", default="orcid.org")
        providers["orcid"] = {"BASE_DOMAIN": domain, "APPS": [{"name": "ORCID"} | orcid]}
    institution = {
        "client_id": env.string("OIDC_CLIENT_ID"),
        "secret": env.string("OIDC_SECRET"),
        "server_url": env.http_url("OIDC_SERVER_URL"),
    }
    if _is_configured("OIDC", institution):
        name = env.string("OIDC_NAME", default="your institution")
        facts = {
            "server_url": institution.pop("server_url"),
            "email_authentication": env.boolean("OIDC_TRUST_EMAIL", default=False),
        }
        app = {"provider_id": INSTITUTION, "name": name, "settings": facts} | institution
        providers["openid_connect"] = {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}
    return providers


def _is_configured(prefix: str, values: dict[str, str]) -> bool:
    """Whether all values are set. Raises `ImproperlyConfigured` for some of them."""
    missing = [f"{prefix}_{name.upper()}" for name, value in values.items() if not value]
    if missing and len(missing) < len(values):
        raise ImproperlyConfigured(f"Logins with {prefix} also need {' and '.join(missing)}.")
    return not missing
