"""The entry point for WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
os.environ.setdefault("STATEMENT_SECONDS", "30")  # the limit of a statement of a page
os.environ.setdefault("DATABASE_SILENT_SECONDS", "5")  # a busy database can take seconds to answer
os.environ.setdefault("BROKER_SECONDS", "1")
application = get_wsgi_application()
