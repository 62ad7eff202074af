"""What the API says of a difference from a baseline."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from scoring.baselines.rows import CORRECTIONS

BASELINE = OpenApiParameter(
    "baseline", str, description="a baseline's run id: adds the difference of each run from it"
)
CORRECTION = OpenApiParameter(
    "correction",
    str,
    enum=list(CORRECTIONS),
    description="with baseline: of the p-values, for all runs compared with it (default: max-t)",
)
INTERVAL = (
    "end of the 95 % interval (bootstrap) for this pair alone: not corrected for the other runs"
)


class DifferenceSerializer(serializers.Serializer):
    """The difference of the run from the chosen baseline. A value that is not defined is null."""

    baseline = serializers.CharField(help_text="the id of the baseline")
    difference = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text=INTERVAL)
    high = serializers.FloatField(allow_null=True, help_text=INTERVAL)
    effect = serializers.FloatField(allow_null=True, help_text="Cohen's d of paired differences")
    p = serializers.FloatField(
        allow_null=True,
        help_text="two-tailed, for this pair alone: of the randomisation test with the correction"
        " max-t, of the paired t test with holm",
    )
    p_corrected = serializers.FloatField(
        allow_null=True, help_text="for all runs compared with the baseline"
    )
    correction = serializers.ChoiceField(choices=list(CORRECTIONS))
    topics = serializers.IntegerField(help_text="on which both runs have a score")
