"""The network that limits by address count. `trackside.middleware.take_client_address` has set
REMOTE_ADDR to the client's address. Nothing else reads X-Forwarded-For."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from django.http import HttpRequest

IPV6_PREFIX = 64  # the network of one customer of a provider; allauth uses the same


def client_network(request: HttpRequest) -> str:
    """The IPv4 address or the IPv6 network of the client. Empty if the server does not know it."""
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
