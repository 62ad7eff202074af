"""Settings from the API, validated and stored by the forms of the pages.

Only the forms validate settings. This module turns typed values into the texts that forms expect.
"""

import copy
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from rest_framework import serializers

from campaigns import lifecycle, scoring_hooks
from campaigns.api.requests import refuse_invalid
from campaigns.manage.forms import CampaignForm
from campaigns.manage.visibility_forms import FeedbackForm
from campaigns.models import Campaign, User
from campaigns.models.showing import TABLES
from campaigns.runs import description
from campaigns.scoring_hooks import can_lead

VISIBILITY = {"preset", "stage_switches"}
RUN_FORM = {"run_types", "asks_priority", "run_fields"}
FEEDBACK = set(FeedbackForm.base_fields)
Values = Mapping[str, Any]


@transaction.atomic
def create_campaign_from(values: Values, organiser: User) -> Campaign:
    """Creates a campaign with these settings, or nothing if one of them is invalid."""
    form = _filled_form(CampaignForm, values, Campaign(), person=organiser)
    campaign = form.save(commit=False)
    campaign.measures = _measures(campaign, values)
    campaign.leading_measure = _leading_measure(campaign, values.get("leading_measure", ""))
    lifecycle.create_campaign(campaign=campaign, organiser=organiser)
    later = VISIBILITY | RUN_FORM | FEEDBACK
    change_campaign(campaign, {name: values[name] for name in later & values.keys()}, organiser)
    return campaign


@transaction.atomic
def change_campaign(campaign: Campaign, values: Values, actor: User) -> None:
    """Changes these settings and no others, or nothing if one of them is invalid."""
    if values:
        lifecycle.refuse_archived(campaign)
    changed = copy.copy(campaign)
    if fields := list(_apply(changed, values, actor)):
        lifecycle.change_settings(campaign=changed, fields=fields, actor=actor)
    if RUN_FORM & values.keys():
        _change_run_form(changed, values, actor)
    if VISIBILITY & values.keys():
        # The table itself wins over a preset, which is the name of a table.
        table = (
            values["stage_switches"] if "stage_switches" in values else TABLES[values["preset"]]()
        )
        preset = lifecycle.preset_of(table)
        try:
            lifecycle.change_visibility(campaign=changed, preset=preset, table=table, actor=actor)
        except ValidationError as error:
            raise serializers.ValidationError({"stage_switches": error.messages}) from error


def _apply(campaign: Campaign, values: Values, actor: User) -> Iterator[str]:
    """Sets the values on `campaign` without saving, and yields the names of changed columns."""
    was_leading = campaign.leading_measure in scoring_hooks.measures_of(campaign)
    yield from _apply_form(CampaignForm, campaign, values, person=actor)
    measures = _measures(campaign, values)
    if measures != campaign.measures:
        campaign.measures = measures
        yield "measures"
    leading = values.get("leading_measure", campaign.leading_measure)
    if was_leading or leading != campaign.leading_measure:
        leading = _leading_measure(campaign, leading)
    if leading != campaign.leading_measure:
        campaign.leading_measure = leading
        yield "leading_measure"
    yield from _apply_form(FeedbackForm, campaign, values)  # its options depend on the new measures


def _apply_form(
    form_class: type[forms.ModelForm], campaign: Campaign, values: Values, **facts: Any
) -> list[str]:
    if not values.keys() & form_class.base_fields.keys():
        return []
    form = _filled_form(form_class, values, campaign, **facts)
    form.save(commit=False)
    return [name for name in form.changed_data if name in values]


def _measures(campaign: Campaign, values: Values) -> list[str]:
    if "measures" not in values:
        return campaign.measures
    try:
        return scoring_hooks.measures_named(values["measures"], rel=campaign.rel)
    except ValidationError as error:
        raise serializers.ValidationError({"measures": error.messages}) from error


def _leading_measure(campaign: Campaign, name: str) -> str:
    """Its canonical name. Raises an error unless it is a measure of the changed campaign that can
    lead. One that leads already may stay."""
    measures = scoring_hooks.measures_of(campaign)
    canonical = scoring_hooks.canonical_measure(campaign, name)
    is_measure = canonical in measures
    leads = is_measure and canonical == campaign.leading_measure
    if not name or leads or (is_measure and can_lead(canonical)):
        return canonical
    offered = ", ".join(filter(can_lead, measures))
    fault = "does not say how good a run is" if is_measure else "is not among the measures"
    message = f"{name} {fault}. Choose the leading measure from these: {offered}."
    raise serializers.ValidationError({"leading_measure": [message]})


def _change_run_form(campaign: Campaign, values: Values, actor: User) -> None:
    settings = {name: values.get(name, getattr(campaign, name)) for name in RUN_FORM}
    try:
        description.change_run_form(
            campaign=campaign, actor=actor, asks_acceptance=campaign.asks_acceptance, **settings
        )
    except ValidationError as error:
        raise serializers.ValidationError({"run_fields": error.messages}) from error


def _filled_form(
    form_class: type[forms.ModelForm], values: Values, campaign: Campaign, **facts: Any
) -> forms.ModelForm:
    """The form, bound to these settings. Raises `ValidationError`."""
    # For the settings that the request leaves out: a form needs a text for every field.
    before = form_class(instance=copy.copy(campaign), **facts)
    texts = {
        name: _as_text(values.get(name, before.get_initial_for_field(field, name)))
        for name, field in before.fields.items()
    }
    form = form_class(texts, instance=campaign, **facts)
    refuse_invalid(form)
    return form


def _as_text(value: object) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        # As a browser sends a box that is checked. It sends nothing for the others.
        return "on"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        # `repr` of a float has all its digits.
        return ", ".join(each if isinstance(each, str) else repr(each) for each in value)
    return str(value)
