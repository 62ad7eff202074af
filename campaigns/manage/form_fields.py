"""Dates as organisers type them: in UTC, in the campaign's zone or anywhere on Earth."""

from datetime import UTC, datetime, tzinfo
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone


class MomentField(forms.DateTimeField):
    """A moment typed in `zone`; shown in UTC, since that is what it is stored in."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M:%S")
    zone: tzinfo = UTC

    def to_python(self, value: Any) -> datetime | None:
        try:
            with timezone.override(self.zone):
                moment = super().to_python(value)
        except ValidationError as error:
            raise self._explained(value) from error
        if moment is not None and not 2000 <= moment.year <= 2200:
            raise ValidationError("Between the years 2000 and 2200.")
        return moment.astimezone(UTC) if moment is not None else None

    def _explained(self, value: Any) -> ValidationError:
        """Why it is no moment. On the days when clocks change, an hour comes twice or not at all,
        and nobody guesses a deadline."""
        try:
            with timezone.override(UTC):
                super().to_python(value)
        except ValidationError:
            return ValidationError("Not a date and time: write 2026-11-21 14:03.")
        return ValidationError(
            f"The clocks change then in {self.zone}: this hour comes twice or not at all. "
            "Give it in UTC."
        )
