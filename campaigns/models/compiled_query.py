"""Queries whose SQL is compiled once, for look-ups of almost every request.

Django compiles a query again at every use. For the row of a campaign with its many columns, this
takes longer than the database needs to find it.
"""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)


class CompiledQuery(Generic[Row]):
    """A queryset that was built with placeholders where its arguments belong. It may follow
    foreign keys with `select_related`, and has no annotations."""

    def __init__(self, queryset: QuerySet[Row]) -> None:
        compiler = queryset.query.get_compiler(connection=connection)
        self._sql, self._parameters = compiler.as_sql()
        self._compiler = compiler
        self._converters = compiler.get_converters([column for column, *_ in compiler.select])
        self._model: type[Row] = queryset.model
        self._columns = compiler.klass_info["select_fields"]
        self._names = [compiler.select[at][0].target.attname for at in self._columns]
        self._related = get_related_populators(compiler.klass_info, compiler.select, queryset.db)

    def first(self, arguments: Mapping[Any, Any]) -> Row | None:
        """The first row with these arguments in place of the placeholders. One query."""
        # Parameters that are no placeholders are constants of the query, such as a stage.
        parameters = [arguments.get(each, each) for each in self._parameters]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, parameters)
            rows = cursor.fetchmany(1)
        # As Django does: a driver may return a column in another type than that of its field.
        for row in self._compiler.apply_converters(rows, self._converters):
            found = self._model.from_db(
                connection.alias, self._names, [row[at] for at in self._columns]
            )
            for related in self._related:
                related.populate(row, found)
            return found
        return None
