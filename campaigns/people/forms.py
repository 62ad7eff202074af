"""What people say of themselves, of their team, and to all teams."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.models import Announcement, Campaign, User
from campaigns.people import membership


def check_visible(text: str) -> None:
    """Names are seen as they are: nothing in them turns the line round or hides."""
    if not text.isprintable() or not any(character.isalnum() for character in text):
        raise ValidationError("Use letters and digits that can be seen.")


class AccountForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["name", "gets_notices"]
        labels = {
            "name": "Your name, as team mates and organisers see it",
            "gets_notices": "Mails about my campaigns",
        }
        help_texts = {
            "gets_notices": "When a run is refused or scored, when a campaign opens, closes or is "
            "published, and what its organisers announce."
        }


class TermsForm(forms.Form):
    """Accepts the very words that were shown: their digest comes back with the tick."""

    digest = forms.CharField(widget=forms.HiddenInput, required=False)
    accepts_terms = forms.BooleanField(label="I accept these terms")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        # What is shown anew is of the terms as they are now, whatever was sent.
        self.now = membership.terms_digest(campaign)
        self.initial["digest"] = self.now

    def clean_digest(self) -> str:
        digest = self.cleaned_data["digest"]
        if self.campaign.terms and digest != self.now:
            self.data = self.data.copy()
            self.data[self.add_prefix("digest")] = self.now
            self.add_error("accepts_terms", "The terms have changed; read them once more.")
        return str(digest)


class JoinForm(TermsForm):
    """Following an invitation into a team."""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        if not campaign.terms:
            del self.fields["accepts_terms"], self.fields["digest"]


class TeamForm(JoinForm):
    """Founding a team."""

    name = forms.CharField(max_length=100, label="Team name", validators=[check_visible])
    is_anonymous = forms.BooleanField(required=False, label="Stay anonymous")
    shares_files = forms.BooleanField(required=False, label="Our run files may be passed on")
    field_order = ["name", "is_anonymous", "shares_files", "digest", "accepts_terms"]

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        _explain(self, campaign, was_anonymous=False)


class TeamEditForm(forms.Form):
    name = forms.CharField(max_length=100, label="Team name", validators=[check_visible])
    is_anonymous = forms.BooleanField(required=False, label="Stay anonymous")
    shares_files = forms.BooleanField(required=False, label="Our run files may be passed on")

    def __init__(
        self, *args: Any, campaign: Campaign, was_anonymous: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        _explain(self, campaign, was_anonymous=was_anonymous)


class NewTeamForm(forms.Form):
    """An organiser's team, whose members come by its link."""

    name = forms.CharField(max_length=100, label="Name of a new team", validators=[check_visible])


class LinkForm(forms.Form):
    """How many people may follow a link, and for how long; an empty field has its default."""

    max_uses = forms.IntegerField(
        label="Number of uses", min_value=1, max_value=membership.MOST_USES, required=False
    )
    days = forms.IntegerField(
        label="Expires after, in days",
        min_value=1,
        max_value=membership.MOST_DAYS,
        required=False,
    )

    def __init__(self, *args: Any, uses: int = 1, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {"max_uses": uses, "days": membership.INVITATION_DAYS} | self.initial


class AnnouncementForm(forms.ModelForm):
    class Meta:
        model = Announcement
        fields = ["subject", "body"]
        widgets = {"body": forms.Textarea(attrs={"rows": 10})}
        labels = {"body": "Text"}
        help_texts = {"body": "Markdown."}

    def clean_subject(self) -> str:
        return " ".join(self.cleaned_data["subject"].split())


def _explain(form: forms.Form, campaign: Campaign, *, was_anonymous: bool) -> None:
    """Says what the two choices mean in this campaign, and offers no others."""
    form.fields[
        "shares_files"
    ].help_text = "Others may download them once the organisers show run files."
    if campaign.allows_anonymous_teams or was_anonymous:
        form.fields["is_anonymous"].help_text = (
            "Others see a name and run tags of the site's making, "
            + (
                "until the organisers reveal the teams."
                if campaign.reveals_teams_at
                else "for good."
            )
            + " Organisers see yours."
        )
    else:
        del form.fields["is_anonymous"]


class FarewellForm(forms.Form):
    """One's own address, typed, before one is forgotten."""

    email = forms.CharField(
        label="Your e-mail address, to be sure",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email.strip().lower() != self.person.email:
            raise forms.ValidationError("This is not the address of your account.")
        return email
