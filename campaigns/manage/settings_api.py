"""What organisers may write of a campaign, as typed JSON. Whether it holds together is for the
pages' own forms to say: see `changing`."""

from rest_framework import serializers

from campaigns.api.requests import RequestSerializer
from campaigns.models import Campaign, Preset, Run
from campaigns.models.campaign import DEEPEST, HIGHEST_P, SMALL
from campaigns.runs.description import FIELD_LIMIT, KINDS

STEPS = 1_000_000.0


class RunFieldRequest(RequestSerializer):
    """A question that comes with every run; answered as `answer_<name>`."""

    name = serializers.RegexField(r"\A[a-z][a-z0-9_]{0,29}\Z")
    label = serializers.CharField(max_length=120)
    kind = serializers.ChoiceField(choices=list(KINDS.items()))
    choices = serializers.ListField(child=serializers.CharField(max_length=120), default=list)
    is_required = serializers.BooleanField(default=False)


class SettingsSerializer(RequestSerializer):
    """What organisers may write. Anything else in a request is refused by name."""

    name = serializers.CharField(max_length=200, required=False)
    series = serializers.CharField(
        max_length=100,
        required=False,
        allow_blank=True,
        help_text="The name of its series; one that is not there yet is made.",
    )
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
        child=serializers.FloatField(min_value=0, max_value=HIGHEST_P),
        required=False,
        max_length=10,
        help_text="The p of RBP, which heads every board.",
    )
    measures = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="The board's other measures: AP, nDCG@10, P(rel=2)@5, bpref, ...",
    )
    run_depth = serializers.IntegerField(required=False, min_value=1, max_value=DEEPEST)
    no_relevant = serializers.ChoiceField(choices=Campaign.NoRelevant.choices, required=False)
    unknown_topics = serializers.ChoiceField(choices=Campaign.UnknownTopics.choices, required=False)
    run_types = serializers.ListField(
        child=serializers.CharField(max_length=9),
        required=False,
        allow_empty=False,
        help_text="Those that are taken, of automatic, manual and feedback.",
    )
    asks_priority = serializers.BooleanField(required=False)
    run_fields = RunFieldRequest(
        many=True, required=False, max_length=FIELD_LIMIT, help_text="Asked with every run."
    )
    feedback = serializers.ChoiceField(choices=Campaign.Feedback.choices, required=False)
    feedback_measure = serializers.CharField(
        required=False, allow_blank=True, max_length=80, help_text="Empty: the board's first."
    )
    feedback_step = serializers.FloatField(required=False, min_value=0, max_value=STEPS)
    feedback_runs = serializers.IntegerField(required=False, min_value=0, max_value=SMALL)
    feedback_days = serializers.IntegerField(required=False, min_value=1, max_value=SMALL)
    feedback_topics = serializers.ListField(
        child=serializers.CharField(max_length=64),
        required=False,
        help_text="Codes of topics that feedback is given on and the board leaves out.",
    )
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

    def validate_run_types(self, names: list[str]) -> list[str]:
        if strange := [name for name in names if name not in Run.Type.values]:
            raise serializers.ValidationError(f"There is no type {strange[0]}.", "invalid_choice")
        return names


class NewCampaignSerializer(SettingsSerializer):
    slug = serializers.SlugField(max_length=63, help_text="Its address; it stays.")
    name = serializers.CharField(max_length=200)
