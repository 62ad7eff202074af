"""People, teams, and their roles in a campaign."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from campaigns.models.campaign import Campaign
from campaigns.models.identity import new_public_id


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **facts: Any) -> "User":
        # `normalize_email` lowers the domain only.
        user = self.model(email=self.normalize_email(email).lower(), **facts)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **facts: Any) -> "User":
        """An operator, who has access to the server and therefore need not confirm the address."""
        if self.filter(emailaddress__email__iexact=email, emailaddress__verified=True).exists():
            raise ValidationError("Another account has this email address.")
        rights = {"is_staff": True, "is_superuser": True, "is_approved": True}
        with transaction.atomic(using=self._db):
            user = self.create_user(email, password, **rights | facts)
            user.emailaddress_set.create(email=user.email, verified=True, primary=True)
        return user


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. Only organisers of the person's campaigns and the operators see the
    email address."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    is_approved = models.BooleanField(default=False, help_text="Can create campaigns.")
    gets_notices = models.BooleanField(default=True, db_default=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: list[str] = []
    objects = UserManager()

    def __str__(self) -> str:
        """The name, or the beginning of the email address, which alone reaches nobody."""
        if not self.is_active and not self.name:
            return "deleted user"
        return self.name or f"{self.email.partition('@')[0]}@…"

    def own_emails(self) -> set[str]:
        """The email address, and the further ones that are verified. Anybody can add somebody
        else's address to an account, where it stays unverified."""
        verified = self.emailaddress_set.filter(verified=True)
        return {self.email, *verified.values_list("email", flat=True)}

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A new password revokes every token, because somebody who knew the old one may have
        created a token."""
        # Before `save`, which clears the password that `set_password` has noted.
        is_new_password = self.pk is not None and self._password is not None
        with transaction.atomic():
            super().save(*args, **kwargs)
            if is_new_password:
                self.auth_token_set.all().delete()


class OrganiserRequest(models.Model):
    """A person asks the operators for the permission to create campaigns."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="organiser_requests")
    purpose = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(  # None: by command
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    is_approved = models.BooleanField(default=False, db_default=False)
    answer = models.CharField(max_length=500, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person"], condition=Q(decided_at=None), name="one_open_request"
            ),
        ]

    def __str__(self) -> str:
        return f"request of {self.person}"


class LoginAddress(models.Model):
    """A keyed digest of the email address and the network address with which a person has logged
    in. Login limits exempt the two together."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_addresses")
    digest = models.CharField(max_length=64)
    last_used_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "digest"], name="login_address_once"),
        ]

    def __str__(self) -> str:
        return f"an address of {self.person}"


class Team(models.Model):
    """The names of approved teams are unique among those that participants can see
    (`people.teams.approved_teams_named`). Of others, an organiser renames one before they can, so
    the database has no constraint for it."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="teams")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(max_length=100)
    # The new name that members want, until an organiser approves it.
    proposed_name = models.CharField(max_length=100, blank=True, default="", db_default="")
    approved_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    # Members are participants after submissions close, even if no run of the team counts.
    admitted_at = models.DateTimeField(null=True, blank=True)
    is_anonymous = models.BooleanField(default=False, db_default=False)
    shares_files = models.BooleanField(
        default=False, db_default=False, help_text="Others can download its run files."
    )
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_reason = models.CharField(max_length=500, blank=True, default="", db_default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(disqualified_at=None) | ~Q(disqualified_reason=""),
                name="team_disqualified_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One role of one person in one campaign. A participant who joined by a link to the campaign
    has no team at first."""

    class Role(models.TextChoices):
        ORGANISER = "organiser"
        ASSESSOR = "assessor"
        PARTICIPANT = "participant"
        READER = "reader"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="memberships")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=11, choices=Role.choices)
    team = models.ForeignKey(
        Team, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    terms_digest = models.CharField(  # of the terms accepted
        max_length=64, blank=True, default="", db_default=""
    )
    terms_accepted_at = models.DateTimeField(null=True, blank=True)
    invitation = models.ForeignKey(  # by which the person joined
        "Invitation", on_delete=models.SET_NULL, null=True, blank=True, related_name="memberships"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            # With the next constraint, a person is in at most one team of a campaign.
            models.UniqueConstraint(fields=["campaign", "person", "role"], name="role_once"),
            models.CheckConstraint(
                condition=Q(role="participant") | Q(team__isnull=True),
                name="only_participants_have_a_team",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} as {self.role}"


class Invitation(models.Model):
    """A link that gives a role to at most `max_uses` people. The table stores only a digest of
    its token, and the salt from which the site's key derives the token again."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=11, choices=Membership.Role.choices)
    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    token_digest = models.CharField(max_length=64, unique=True)
    salt = models.CharField(max_length=32, blank=True, default="", db_default="")
    # The address to which the site sent the link, and when it last did.
    email = models.EmailField(blank=True, default="", db_default="")
    sent_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    max_uses = models.PositiveSmallIntegerField(default=1, db_default=1)
    uses = models.PositiveSmallIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(uses__lte=models.F("max_uses")), name="invitation_within_its_uses"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.campaign}"

    @property
    def is_used_up(self) -> bool:
        return self.uses >= self.max_uses
