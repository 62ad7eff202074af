"""The table in which all processes count failed logins together."""

from django.core.management import call_command
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def make_table(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    call_command("createcachetable", database=editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0004_judging")]
    operations = [migrations.RunPython(make_table, migrations.RunPython.noop)]
