"""The door for WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
os.environ.setdefault("STATEMENT_SECONDS", "30")  # no page may ask a database for longer
os.environ.setdefault("DATABASE_SILENT_SECONDS", "1.5")  # nor wait longer for a silent one
os.environ.setdefault("BROKER_SECONDS", "1")
application = get_wsgi_application()
