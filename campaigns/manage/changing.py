"""Settings that a script names, put in force by the forms and the acts of the pages.

The pages' forms are the only judges of settings; here their texts are made of typed values.
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

SHOWING = {"preset", "stage_switches"}
RUN_FORM = {"run_types", "asks_priority", "run_fields"}
FEEDBACK = set(FeedbackForm.base_fields)
Said = Mapping[str, Any]


@transaction.atomic
def create_campaign_from(said: Said, organiser: User) -> Campaign:
    """A new campaign with these settings, all of them or none."""
    form = _filled(CampaignForm, said, Campaign())
    campaign = form.save(commit=False)
    campaign.measures = _measures(campaign, said)
    lifecycle.create_campaign(campaign=campaign, organiser=organiser)
    later = SHOWING | RUN_FORM | FEEDBACK
    change_campaign(campaign, {name: said[name] for name in later & said.keys()}, organiser)
    return campaign


@transaction.atomic
def change_campaign(campaign: Campaign, said: Said, actor: User) -> None:
    """Changes the settings that are named and nothing else, all of them or none."""
    if said:
        lifecycle.refuse_archived(campaign)
    changed = copy.copy(campaign)
    if fields := list(_edited(changed, said)):
        lifecycle.change_settings(campaign=changed, fields=fields, actor=actor)
    if RUN_FORM & said.keys():
        _change_run_form(changed, said, actor)
    if SHOWING & said.keys():
        _change_showing(changed, said, actor)


def _edited(campaign: Campaign, said: Said) -> Iterator[str]:
    """Writes what is said into the row at hand; the names of the columns that are others now."""
    yield from _typed_into(CampaignForm, campaign, said)
    measures = _measures(campaign, said)
    if measures != campaign.measures:
        campaign.measures = measures
        yield "measures"
    yield from _typed_into(FeedbackForm, campaign, said)  # it offers what is asked for by now


def _typed_into(kind: type[forms.ModelForm], campaign: Campaign, said: Said) -> list[str]:
    if not said.keys() & kind.base_fields.keys():
        return []
    form = _filled(kind, said, campaign)
    form.save(commit=False)
    return [name for name in form.changed_data if name in said]


def _measures(campaign: Campaign, said: Said) -> list[str]:
    if "measures" not in said:
        return campaign.measures
    try:
        return scoring_hooks.measures_named(said["measures"], rel=campaign.rel)
    except ValidationError as error:
        raise serializers.ValidationError({"measures": error.messages}) from error


def _change_run_form(campaign: Campaign, said: Said, actor: User) -> None:
    now = {name: said.get(name, getattr(campaign, name)) for name in RUN_FORM}
    try:
        description.change_run_form(
            campaign=campaign, actor=actor, asks_acceptance=campaign.asks_acceptance, **now
        )
    except ValidationError as error:
        raise serializers.ValidationError({"run_fields": error.messages}) from error


def _change_showing(campaign: Campaign, said: Said, actor: User) -> None:
    """Puts the table of what each stage shows in force."""
    table = said["stage_switches"] if "stage_switches" in said else TABLES[said["preset"]]()
    preset = lifecycle.preset_of(table)
    try:
        lifecycle.change_showing(campaign=campaign, preset=preset, table=table, actor=actor)
    except ValidationError as error:
        raise serializers.ValidationError({"stage_switches": error.messages}) from error


def _filled(kind: type[forms.ModelForm], said: Said, campaign: Campaign) -> forms.ModelForm:
    """The form as if somebody had typed these settings into it. Raises `ValidationError`."""
    before = kind(instance=copy.copy(campaign))
    texts = {
        name: _typed(said.get(name, before.get_initial_for_field(field, name)))
        for name, field in before.fields.items()
    }
    form = kind(texts | {"typed_in": "utc"}, instance=campaign)
    refuse_invalid(form)
    return form


def _typed(value: object) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "on"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        return ", ".join(each if isinstance(each, str) else repr(each) for each in value)
    return str(value)
