"""What the API says of a difference from a baseline."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

BASELINE = OpenApiParameter(
    "baseline", str, description="a baseline's run id: adds the difference of each run from it"
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
    p = serializers.FloatField(allow_null=True, help_text="of the two-tailed paired t test")
    p_corrected = serializers.FloatField(
        allow_null=True, help_text="by Holm's method, for all runs compared with the baseline"
    )
    topics = serializers.IntegerField(help_text="on which both runs have a score")
