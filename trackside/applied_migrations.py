"""Compares the migrations of the database with those of this version."""

from django.db.migrations.loader import MigrationLoader


def warning_about_newer(loader: MigrationLoader) -> str:
    """If a later version has upgraded the database, a sentence, otherwise "".

    The names of migrations begin with their number. One that is unknown here and has a lower number
    than the latest is not new: a squashed migration has replaced it."""
    latest: dict[str, str] = {}
    for app, name in loader.disk_migrations:
        latest[app] = max(name, latest.get(app, ""))
    newer = [name for app, name in loader.applied_migrations if name > latest.get(app, name)]
    if not newer:
        return ""
    return (
        f"The database is newer than this version of Trackside, which does not know {len(newer)} "
        "of its migrations: only the version directly before the one that upgraded it works on it."
    )
