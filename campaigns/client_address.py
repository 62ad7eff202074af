"""Whom a limit by address counts. `trackside.middleware.take_client_address` has put the client's
address into REMOTE_ADDR; nothing reads X-Forwarded-For after it."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from django.http import HttpRequest

IPV6_PREFIX = 64  # what one customer of a provider has; allauth's limits count by the same


def client_network(request: HttpRequest) -> str:
    """The IPv4 address or the IPv6 network of the client; empty where the server knows none."""
    told = request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(told)
    except ValueError:
        return str(told)
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((address, IPV6_PREFIX), strict=False).network_address)
