"""All URLs of the site, and the least that one can be."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from trackside import urls
from trackside.urls import *  # noqa: F403 - the pages that answer faults


def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


urlpatterns = [path("hello/", hello), *urls.urlpatterns]
