"""The site's settings, made fit for tests: quick passwords, files that go away."""

import os
import tempfile

# A folder for each process of pytest-xdist: one's housekeeping knows nothing of the other's rows.
ours = os.environ.get("TESTS_VAR_DIR", "")
if not os.environ.get("VAR_DIR") or (ours and os.environ["VAR_DIR"].startswith(ours)):
    ours = ours or tempfile.mkdtemp(prefix="trackside-tests-")
    folder = os.path.join(ours, os.environ.get("PYTEST_XDIST_WORKER", "alone"))
    os.makedirs(folder, exist_ok=True)
    os.environ.update(TESTS_VAR_DIR=ours, VAR_DIR=folder)
os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("LEASE_SECONDS", "60")
os.environ.setdefault("RENEWAL_SECONDS", "1")
os.environ.setdefault("SWEEP_SECONDS", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")

os.environ.update(
    THROTTLE_ANON="1000000/min",
    THROTTLE_USER="1000000/min",
    THROTTLE_UPLOADS="1000000/min",
    THROTTLE_ORGANISE="1000000/min",
    THROTTLE_ANALYSES="1000000/min",
    THROTTLE_PROGRAMS="1000000/min",
)

from trackside.settings import *  # noqa: E402, F403 - after what it reads

# Of the processes that tests start the environment says 1. In the process of a test, a worker that
# has reported must count although the test is not scheduled for five seconds.
SWEEP_SECONDS = 10
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_URL = "memorymail://"
EMAIL_BACKEND = MAIL_TRANSPORT = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False
ALLOWED_HOSTS = ["*"]
