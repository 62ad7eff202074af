"""The least a Django site can do, to measure ours beside: one view that says hello."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path

settings.configure(
    SECRET_KEY="hello",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
)

from django.core.wsgi import get_wsgi_application  # noqa: E402 - once there are settings


def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


urlpatterns = [path("", hello)]
application = get_wsgi_application()
