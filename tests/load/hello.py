"""The site's settings, and one URL more that does nothing but say hello: what server, proxy,
Django and our middleware take of every request, to measure pages beside."""

from trackside.settings import *  # noqa: F403 - all but what follows

ROOT_URLCONF = "tests.load.hello_urls"
