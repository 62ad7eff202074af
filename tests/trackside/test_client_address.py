"""Which address is the client's, and which clients a limit takes for one."""

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from campaigns.client_address import client_network
from trackside.middleware import take_client_address

PEER = "172.30.250.9"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "client"),
    [
        (0, "6.6.6.6", PEER),
        (1, "6.6.6.6, 192.0.2.1", "192.0.2.1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (2, "6.6.6.6, 192.0.2.1, 192.0.2.2", "192.0.2.1"),
        (2, "6.6.6.6", PEER),  # it did not come through both
        (1, "6.6.6.6, nonsense", PEER),
        (1, "", PEER),
    ],
)
def test_only_the_address_that_our_own_proxies_saw_is_believed(
    proxies: int, forwarded: str, client: str, settings: LazySettings
) -> None:
    settings.NUM_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR=PEER, HTTP_X_FORWARDED_FOR=forwarded)
    seen: list[HttpRequest] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse()

    take_client_address(view)(request)
    assert seen[0].META["REMOTE_ADDR"] == client


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("", ""),
    ],
)
def test_a_limit_counts_a_customer_of_a_provider_once(address: str, network: str) -> None:
    assert client_network(RequestFactory().get("/", REMOTE_ADDR=address)) == network
