"""Novelty and diversity: measures of rankings whose documents are judged by subtopic."""
