"""The client that limits count. `trackside.middleware.take_client_address` has set
REMOTE_ADDR to the client's address. Nothing else reads X-Forwarded-For."""

from contextvars import ContextVar
from ipaddress import IPv6Address, IPv6Network, ip_address

from django.http import HttpRequest

# Set while a request is answered; commands and workers have no limits.
request_being_answered: ContextVar[HttpRequest | None] = ContextVar("request", default=None)

IPV6_PREFIX = 64  # the network of one customer of a provider; allauth uses the same


def client_network(request: HttpRequest) -> str:
    """The IPv4 address or the IPv6 network of the client. Empty if the server does not know it."""
    text = request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(text)
    except ValueError:
        return str(text)
    if not isinstance(address, IPv6Address):
        return str(address)
    # ::ffff:192.0.2.1 is how a server that listens on IPv6 sees 192.0.2.1.
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((address, IPV6_PREFIX), strict=False).network_address)


def client_of(request: HttpRequest) -> str:
    """The account, or the network of a client without one."""
    person = getattr(request, "user", None)
    is_known = person is not None and person.is_authenticated
    return f"account-{person.pk}" if is_known else client_network(request)
