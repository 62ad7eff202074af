"""What tests about teams and roles do again and again."""

from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, User


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def url_of(name: str, campaign: Campaign, *args: object) -> str:
    return reverse(f"campaigns:{name}", args=[campaign.slug, *args])
