"""The database's clock, which all processes share, whatever the clocks of their machines say."""

from datetime import datetime

from django.db import connection
from django.db.models.functions import Now
from django.db.models.sql import Query


def database_now() -> datetime:
    """One query."""
    # A query of no table, so that Django writes `Now` as each database needs it.
    query = Query(None)
    query.add_annotation(Now(), "now")
    ((now,),) = query.get_compiler(connection=connection).results_iter()
    return now
