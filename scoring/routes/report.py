"""The figures and tables of the RBP paper, for this campaign."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
