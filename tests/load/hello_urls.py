"""All addresses of the site, and the least that one can be."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from config import urls
from config.urls import *  # noqa: F403 - the pages that answer faults


def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


urlpatterns = [path("hello/", hello), *urls.urlpatterns]
