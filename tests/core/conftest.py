"""Examples drawn by hypothesis have no deadline: on a busy machine it would only measure others."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
