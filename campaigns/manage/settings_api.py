"""The settings of a campaign as typed JSON. `settings_changes` validates their combination."""

from django.conf import settings
from rest_framework import serializers

from campaigns.api.requests import BoundedDictField, BoundedListField, RequestSerializer
from campaigns.models import Campaign, Preset, Run
from campaigns.models.campaign import DEEPEST, HIGHEST_P, LONGEST_MARKDOWN, SMALL
from campaigns.runs.description import FIELD_LIMIT, KINDS

STEPS = 1_000_000.0
MOST_NAMES = 50  # more than there are stages, or switches of a stage


class RunFieldRequest(RequestSerializer):
    """A field of the run description form. A run answers it as `answer_<name>`."""

    name = serializers.RegexField(r"\A[a-z][a-z0-9_]{0,29}\Z")
    label = serializers.CharField(max_length=120)
    kind = serializers.ChoiceField(choices=list(KINDS.items()))
    choices = BoundedListField(
        child=serializers.CharField(max_length=120), default=list, max_length=100
    )
    is_required = serializers.BooleanField(default=False)


class SettingsSerializer(RequestSerializer):
    """The settings that organisers can change. Any other field is refused by name."""

    name = serializers.CharField(max_length=200, required=False)
    series = serializers.CharField(
        max_length=100,
        required=False,
        allow_blank=True,
        help_text="The name of a series that you can see, or of a new one.",
    )
    guidelines = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_MARKDOWN, help_text="Markdown."
    )
    contact = serializers.CharField(
        max_length=254,
        required=False,
        allow_blank=True,
        help_text="An email address or a URL, visible to everyone who sees the campaign.",
    )
    reply_to = serializers.EmailField(
        required=False,
        allow_blank=True,
        help_text="Replies to the campaign's emails go there. Empty: to the contact.",
    )
    time_zone = serializers.CharField(max_length=64, required=False)
    is_private = serializers.BooleanField(required=False)
    joining = serializers.ChoiceField(choices=Campaign.Joining.choices, required=False)
    terms = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_MARKDOWN, help_text="Markdown."
    )
    allows_anonymous_teams = serializers.BooleanField(required=False)
    opens_at = serializers.DateTimeField(required=False, allow_null=True)
    closes_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="A run submitted at this moment is late."
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
    gain_map = BoundedListField(
        child=serializers.FloatField(min_value=0, max_value=1), required=False, max_length=128
    )
    persistences = BoundedListField(
        child=serializers.FloatField(min_value=0, max_value=HIGHEST_P),
        required=False,
        max_length=10,
        help_text="The values of p for RBP, the first measure of every leaderboard.",
    )
    measures = BoundedListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=200,
        help_text="The other measures of the leaderboard: AP, nDCG@10, P(rel=2)@5, bpref, ...",
    )
    leading_measure = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=80,
        help_text="The measure with which all pages open. Empty: RBP with the first persistence.",
    )
    run_depth = serializers.IntegerField(required=False, min_value=1, max_value=DEEPEST)
    no_relevant = serializers.ChoiceField(choices=Campaign.NoRelevant.choices, required=False)
    unknown_topics = serializers.ChoiceField(choices=Campaign.UnknownTopics.choices, required=False)
    run_types = BoundedListField(
        child=serializers.CharField(max_length=9),
        required=False,
        max_length=10,
        allow_empty=False,
        help_text="The accepted types, from automatic, manual and feedback.",
    )
    asks_priority = serializers.BooleanField(required=False)
    run_fields = RunFieldRequest(
        many=True,
        required=False,
        max_length=FIELD_LIMIT,
        help_text="Fields of the run description form.",
    )
    feedback = serializers.ChoiceField(choices=Campaign.Feedback.choices, required=False)
    feedback_measure = serializers.CharField(
        required=False, allow_blank=True, max_length=80, help_text="Empty: the first measure."
    )
    feedback_step = serializers.FloatField(required=False, min_value=0, max_value=STEPS)
    feedback_runs = serializers.IntegerField(required=False, min_value=0, max_value=SMALL)
    feedback_days = serializers.IntegerField(required=False, min_value=1, max_value=SMALL)
    feedback_topics = BoundedListField(
        child=serializers.CharField(max_length=64),
        required=False,
        max_length=settings.MAX_TOPICS,
        help_text="Topics that are used for feedback and not for the leaderboard.",
    )
    preset = serializers.ChoiceField(
        choices=[choice for choice in Preset.choices if choice[0] != Preset.OWN],
        required=False,
        help_text="A preset for the visibility of each stage.",
    )
    stage_switches = BoundedDictField(
        child=BoundedDictField(max_length=MOST_NAMES),
        max_length=MOST_NAMES,
        required=False,
        help_text="The visibility of each stage, with every stage and every switch.",
    )

    def validate_run_types(self, names: list[str]) -> list[str]:
        if unknown := [name for name in names if name not in Run.Type.values]:
            raise serializers.ValidationError(f"{unknown[0]} is not a run type.", "invalid_choice")
        return names


class NewCampaignSerializer(SettingsSerializer):
    slug = serializers.SlugField(max_length=63, help_text="Permanent URL name of the campaign.")
    name = serializers.CharField(max_length=200)
