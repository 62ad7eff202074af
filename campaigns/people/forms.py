"""Forms for accounts, teams, invitation links and announcements."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from campaigns.models import Announcement, Campaign, Membership, User
from campaigns.people import email_invitations, membership
from campaigns.people.announcements import EDITED
from campaigns.trec.blocks import BLANK_LETTERS
from campaigns.trec.names import composed

INVITED_AS = [
    (Membership.Role.PARTICIPANT, "participant: submits runs in a team"),
    (Membership.Role.ASSESSOR, "assessor: judges documents"),
    (Membership.Role.READER, "reader: sees the campaign, and submits nothing"),
    (Membership.Role.ORGANISER, "organiser: sees, changes and publishes everything"),
]


def check_visible(text: str) -> None:
    """Refuses invisible characters, and those that change the direction of writing."""
    has_letter = any(character.isalnum() for character in text)
    if not text.isprintable() or not has_letter or not BLANK_LETTERS.isdisjoint(text):
        raise ValidationError("Use visible characters, with at least one letter or digit.")


class NameForm(forms.Form):
    """The base of allauth's sign-up forms (ACCOUNT_SIGNUP_FORM_CLASS). The adapter saves the name
    with the new account, so that a new address costs no further query."""

    name = forms.CharField(
        max_length=150,
        label="Your name",
        validators=[check_visible],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def signup(self, request: HttpRequest, user: User) -> None:
        """allauth requires it."""


class OrganiserRequestForm(forms.Form):
    purpose = forms.CharField(
        max_length=500,
        label="What do you want to evaluate, and who takes part?",
        validators=[check_visible],
        help_text="One sentence, such as: Search over the minutes of parliament, for the 30 "
        "students of my course.",
    )


class RequestDecisionForm(forms.Form):
    """An operator's words to the person who asked to organise."""

    answer = forms.CharField(max_length=500, required=False)


class AccountForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["name", "gets_notices"]
        labels = {
            "name": "Your name",
            "gets_notices": "Emails about my campaigns",
        }
        help_texts = {
            "name": "Visible to your team, and to the organisers of your campaigns.",
            "gets_notices": "You receive an email when a run is refused or scored, when "
            "submissions open or close, when results are published, and for announcements.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].validators.append(check_visible)
        # Older accounts have no name. Their owners can still stop emails.
        self.fields["name"].required = bool(self.instance.name)


class TermsForm(forms.Form):
    """Accepts exactly the terms that were shown: their digest is sent with the form."""

    digest = forms.CharField(widget=forms.HiddenInput, required=False)
    accepts_terms = forms.BooleanField(label="I accept these terms")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        self.current_digest = membership.terms_digest(campaign)
        self.initial["digest"] = self.current_digest

    def clean_digest(self) -> str:
        digest = self.cleaned_data["digest"]
        if self.campaign.terms and digest != self.current_digest:
            self.data = self.data.copy()  # the form is shown again, with the current terms
            self.data[self.add_prefix("digest")] = self.current_digest
            self.add_error("accepts_terms", "The terms have changed. Read them again.")
        return str(digest)


class JoinForm(TermsForm):
    """Joining a team by an invitation link."""

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        if not campaign.terms:
            del self.fields["accepts_terms"], self.fields["digest"]


class TeamNameField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(max_length=100, label="Team name", validators=[check_visible])

    def to_python(self, value: Any) -> str:
        return composed(super().to_python(value))


class TeamForm(JoinForm):
    """Creating one's own team."""

    name = TeamNameField()
    is_anonymous = forms.BooleanField(required=False, label="Stay anonymous")
    shares_files = forms.BooleanField(required=False, label="Others may download our run files")
    field_order = ["name", "is_anonymous", "shares_files", "digest", "accepts_terms"]

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        _explain(self, campaign, was_anonymous=False)


class TeamEditForm(forms.Form):
    name = TeamNameField()
    is_anonymous = forms.BooleanField(required=False, label="Stay anonymous")
    shares_files = forms.BooleanField(required=False, label="Others may download our run files")

    def __init__(
        self, *args: Any, campaign: Campaign, was_anonymous: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        _explain(self, campaign, was_anonymous=was_anonymous)


class NewTeamForm(forms.Form):
    """A team that an organiser creates for others."""

    name = TeamNameField()


class LinkForm(forms.Form):
    """How many people can use a link, and for how long. An empty field means the default."""

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


class EmailInvitationsForm(forms.Form):
    """A role, and the addresses of the people who are invited to have it."""

    role = forms.ChoiceField(label="Role", choices=INVITED_AS, initial=Membership.Role.PARTICIPANT)
    addresses = forms.CharField(
        label="Email addresses",
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"}),
        help_text="Paste them as they are, such as “Ann Lee <ann@example.org>, bo@example.org”. "
        "Each address gets its own link.",
    )

    def clean_addresses(self) -> list[str]:
        return email_invitations.read_addresses(self.cleaned_data["addresses"])


class AnnouncementForm(forms.ModelForm):
    class Meta:
        model = Announcement
        fields = ["subject", "body"]
        widgets = {"body": forms.Textarea(attrs={"rows": 10})}
        labels = {"body": "Text"}
        help_texts = {"body": "Markdown."}

    def clean_subject(self) -> str:
        return " ".join(self.cleaned_data["subject"].split())


class AnnouncementEditForm(AnnouncementForm):
    """Refuses to overwrite the text of another organiser: `seen` is when the text that the form
    showed was published."""

    sends_email = forms.BooleanField(required=False, label="Email the new text to all teams")
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, announcement: Announcement, **kwargs: Any) -> None:
        self.current = announcement.published_at.isoformat()
        initial = {
            "subject": announcement.subject, "body": announcement.body, "seen": self.current
        }  # fmt: skip
        super().__init__(*args, initial=initial, **kwargs)

    def clean_seen(self) -> str:
        if self.cleaned_data["seen"] not in ("", self.current):
            raise ValidationError(EDITED)
        return self.current


def _explain(form: forms.Form, campaign: Campaign, *, was_anonymous: bool) -> None:
    """Adds help texts for this campaign, and removes a field that it does not allow."""
    form.fields["shares_files"].help_text = "If the organisers make run files visible."
    if campaign.allows_anonymous_teams or was_anonymous:
        form.fields["is_anonymous"].help_text = (
            "Others see a name and run tags that the site generates, "
            + (
                "until the date when anonymous teams are named."
                if campaign.reveals_teams_at
                else "permanently."
            )
            + " Organisers see the real ones."
        )
    else:
        del form.fields["is_anonymous"]


class CloseAccountForm(forms.Form):
    """Confirms with the account's email address."""

    email = forms.CharField(
        label="To confirm, type your email address",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email.strip().lower() != self.person.email:
            raise forms.ValidationError("This is not the email address of your account.")
        return email
