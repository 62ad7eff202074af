"""During an upgrade the previous release runs on the new schema: migrations must let it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import models
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.test import override_settings

OURS = ("campaigns", "scoring")
# The last migrations of the previous release, whose commit is in .ci/previous-release.
RELEASED = {"campaigns": "0006_bounds_of_settings", "scoring": "0005_job_timing"}
# Operations that the previous release survives although their kind can break it, and why:
# ("app.migration", "what the operation describes"): "reason".
ACCEPTED: dict[tuple[str, str], str] = {
    ("scoring.0009_job_without_campaign", "Alter field campaign on job"): (
        "Only jobs of kind mail have none, and the previous release performs no such job."
    ),
    (
        "scoring.0009_job_without_campaign",
        "Create constraint mail_or_of_a_campaign on model job",
    ): "Every job that the previous release writes belongs to a campaign.",
    (
        "campaigns.0011_links_and_admission",
        "Create constraint invitation_within_its_uses on model invitation",
    ): "the previous release writes neither column, and their defaults, 0 of 1, satisfy it",
    (
        "campaigns.0024_run_names",
        "Create constraint run_name_once_among_live_runs on model run",
    ): "For runs without a name, which the previous release writes, it is the constraint before.",
    (
        "campaigns.0028_qrels_sources",
        "Create constraint published_qrels_state_their_programs on model qrels",
    ): "the previous release writes neither column, and their defaults satisfy it",
    (
        "campaigns.0016_campaign_links",
        "Create constraint only_participants_have_a_team on model membership",
    ): "It allows everything that the constraint allows that it replaces.",
}
HARMLESS = (
    ops.CreateModel,
    ops.AddIndex,
    ops.RemoveIndex,
    ops.RenameIndex,
    ops.RemoveConstraint,
    ops.AlterModelOptions,
    ops.AlterModelManagers,
    ops.AlterModelTableComment,
)


@pytest.fixture(scope="module")
def loader() -> Iterator[MigrationLoader]:
    with override_settings(MIGRATION_MODULES={}):  # the fast tier makes its database without them
        yield MigrationLoader(None, ignore_no_migrations=True)


def migrations(loader: MigrationLoader) -> Iterator[Migration]:
    """Those of our applications, each after those that it depends on; instead of a squashed one,
    those that it replaces."""
    for app, name in loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True):
        if app in OURS:
            migration = loader.disk_migrations[app, name]
            for each in migration.replaces or [(app, name)]:
                yield loader.disk_migrations[each]


def is_released(migration: Migration) -> bool:
    return migration.name <= RELEASED[migration.app_label]


def needs_a_value(field: Any) -> bool:
    """Whether an INSERT that does not name the column fails."""
    return not (field.null or field.many_to_many or field.db_default is not models.NOT_PROVIDED)


def what_breaks(operation: Operation, app: str, state: ProjectState, known: ProjectState) -> str:
    """Why the release that knows the tables of `known` cannot go on after this operation."""
    model = getattr(operation, "model_name", getattr(operation, "name", "")).lower()
    if isinstance(operation, HARMLESS) or ((app, model) not in known.models and model):
        return ""
    if isinstance(operation, ops.AddField):
        if operation.field.unique and not operation.field.null:
            return "its second row has the same value in a unique column"
        return "it writes rows without this column" if needs_a_value(operation.field) else ""
    if isinstance(operation, ops.AlterField):
        before = state.models[app, model].fields[operation.name]
        return what_narrows(before, operation.field)
    return "it may write or read what this forbids or takes away"


def what_narrows(before: Any, after: Any) -> str:
    if before.null and not after.null:
        return "it writes NULL"
    if after.null and not before.null:
        return "it may read NULL"
    if after.unique and not before.unique:
        return "it writes the same value twice"
    if before.get_internal_type() != after.get_internal_type():
        return "it writes another type"
    if after.max_length and (before.max_length or after.max_length + 1) > after.max_length:
        return "it writes longer texts"
    had_default = before.db_default is not models.NOT_PROVIDED
    if had_default and needs_a_value(after):
        return "a release before it relies on the default"
    return ""


def breaking(loader: MigrationLoader, since: dict[str, str]) -> dict[tuple[str, str], str]:
    """Operations after these migrations that break the release that ends with them."""
    with_each = MigrationLoader(None, ignore_no_migrations=True, replace_migrations=False)
    known = with_each.project_state([*since.items()])
    found = {}
    state = ProjectState()
    for migration in migrations(loader):
        if migration.name > since[migration.app_label]:
            for operation in migration.operations:
                reason = what_breaks(operation, migration.app_label, state, known)
                if reason:
                    name = f"{migration.app_label}.{migration.name}"
                    found[name, operation.describe()] = reason
                operation.state_forwards(migration.app_label, state)
        else:
            migration.mutate_state(state, preserve=False)
    return found


def test_no_migration_breaks_the_previous_release(loader: MigrationLoader) -> None:
    found = breaking(loader, RELEASED)
    new = {where: why for where, why in found.items() if where not in ACCEPTED}
    assert new == {}, "CONTRIBUTING.md says how to migrate."
    assert set(ACCEPTED) <= set(found), "ACCEPTED lists operations that are not there."


def described(state: ProjectState) -> dict[tuple[str, str], object]:
    """The models of our applications, whatever the order of what belongs to them."""
    return {
        key: (
            {name: field.deconstruct()[1:] for name, field in model.fields.items()},
            {
                name: sorted(map(repr, value)) if isinstance(value, list) else value
                for name, value in model.options.items()
                if value
            },
            model.bases,
        )
        for key, model in state.models.items()
        if key[0] in OURS
    }


def test_squashed_migrations_make_what_those_make_that_they_replace(
    loader: MigrationLoader,
) -> None:
    one_by_one = ProjectState()
    for migration in migrations(loader):
        migration.mutate_state(one_by_one, preserve=False)
    found, expected = described(loader.project_state()), described(one_by_one)
    assert len(expected) >= 40
    assert found.keys() == expected.keys()
    for model, facts in expected.items():
        assert found[model] == facts, model


def test_every_required_column_added_later_has_a_database_default(loader: MigrationLoader) -> None:
    """Of every table, since its first migration: a release from before the column leaves it out."""
    lacking = []
    now = loader.project_state()
    for migration in migrations(loader):
        created = {o.name_lower for o in migration.operations if isinstance(o, ops.CreateModel)}
        for operation in migration.operations:
            if isinstance(operation, ops.AddField) and operation.model_name_lower not in created:
                model = now.models.get((migration.app_label, operation.model_name_lower))
                field = model.fields.get(operation.name) if model else None
                if field is not None and needs_a_value(field):
                    lacking.append(f"{operation.model_name}.{operation.name}")
    assert lacking == []


def test_the_check_of_migrations_finds_what_broke_releases_before(loader: MigrationLoader) -> None:
    """The check itself: three known faults of the migrations that sites have applied."""
    first = {"campaigns": "0001_initial", "scoring": "0001_initial"}
    found = breaking(loader, first)
    assert found["scoring.0005_job_timing", "Add field lost_leases to job"]
    assert found["campaigns.0004_judging", "Add field document_address to campaign"]
    assert found["campaigns.0002_lifecycle", "Remove field is_approved from membership"]
    assert ("campaigns.0002_lifecycle", "Add field archived_at to campaign") not in found
    assert not any(name == "campaigns.0006_bounds_of_settings" for name, _ in found)
