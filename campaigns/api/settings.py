"""A campaign's settings as JSON: what may be written, and how it comes to the form that checks it.

The page's form is the only judge of settings; here its texts are made of typed values.
"""

import copy
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rest_framework import serializers

from campaigns.forms.campaign import CampaignForm
from campaigns.models import Campaign, Preset

SMALL = 32_767  # what the smaller columns hold


class SettingsSerializer(serializers.Serializer):
    """What organisers may write. Anything else in a request is refused by name."""

    name = serializers.CharField(max_length=200, required=False)
    guidelines = serializers.CharField(required=False, allow_blank=True, help_text="Markdown.")
    time_zone = serializers.CharField(max_length=64, required=False)
    is_private = serializers.BooleanField(required=False)
    joining = serializers.ChoiceField(choices=Campaign.Joining.choices, required=False)
    terms = serializers.CharField(required=False, allow_blank=True, help_text="Markdown.")
    allows_anonymous_teams = serializers.BooleanField(required=False)
    opens_at = serializers.DateTimeField(required=False, allow_null=True)
    closes_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="A run that arrives at this moment is too late."
    )
    topics_released_at = serializers.DateTimeField(required=False, allow_null=True)
    reveals_teams_at = serializers.DateTimeField(required=False, allow_null=True)
    grace_minutes = serializers.IntegerField(required=False, min_value=0, max_value=SMALL)
    run_quota = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=SMALL
    )
    quota_days = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=SMALL
    )
    attempt_quota = serializers.IntegerField(required=False, min_value=1, max_value=SMALL)
    asks_acceptance = serializers.BooleanField(required=False)
    highest_grade = serializers.IntegerField(required=False, min_value=1, max_value=127)
    rel = serializers.IntegerField(required=False, min_value=1, max_value=127)
    gain_map = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1), required=False, max_length=128
    )
    persistences = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1), required=False, max_length=10
    )
    run_depth = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000)
    no_relevant = serializers.ChoiceField(choices=Campaign.NoRelevant.choices, required=False)
    unknown_topics = serializers.ChoiceField(choices=Campaign.UnknownTopics.choices, required=False)
    preset = serializers.ChoiceField(
        choices=[choice for choice in Preset.choices if choice[0] != Preset.OWN],
        required=False,
        help_text="What each stage shows, as a ready-made table.",
    )
    stage_switches = serializers.DictField(
        child=serializers.DictField(),
        required=False,
        help_text="What each stage shows, switch by switch: every stage, every switch.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        strange = sorted(set(self.initial_data) - set(self.fields))
        if strange:
            known = ", ".join(self.fields)
            raise serializers.ValidationError(
                {name: [f"This cannot be written. What can: {known}."] for name in strange[:10]}
            )
        return attrs


class NewCampaignSerializer(SettingsSerializer):
    slug = serializers.SlugField(max_length=63, help_text="Its address; it stays.")
    name = serializers.CharField(max_length=200)


SHOWING = ("preset", "stage_switches")


def filled_form(settings: Mapping[str, Any], campaign: Campaign | None = None) -> CampaignForm:
    """The form as if somebody had typed these settings into it. Raises `ValidationError`."""
    before = CampaignForm(instance=copy.copy(campaign) if campaign else Campaign())
    data = {
        name: _typed(settings.get(name, before.get_initial_for_field(field, name)))
        for name, field in before.fields.items()
    }
    form = CampaignForm(data | {"typed_in": "utc"}, instance=before.instance)
    if not form.is_valid():
        raise serializers.ValidationError(
            {name or "settings": list(faults) for name, faults in form.errors.items()}
        )
    return form


def _typed(value: object) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "on"
    if isinstance(value, datetime):
        return value.isoformat()
    return ", ".join(map(repr, value)) if isinstance(value, list) else str(value)
