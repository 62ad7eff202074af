"""The site's settings, made fit for tests: short leases, quick passwords, files that go away."""

import os
import tempfile

os.environ.setdefault("VAR_DIR", tempfile.mkdtemp(prefix="trackside-tests-"))
os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("LEASE_SECONDS", "3")
os.environ.setdefault("RENEWAL_SECONDS", "1")
os.environ.setdefault("SWEEP_SECONDS", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")

from config.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False
ALLOWED_HOSTS = ["*"]
