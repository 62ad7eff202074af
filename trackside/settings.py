"""Every setting of the site, read from the environment; the defaults are the embedded site.

Embedded: SQLite in WAL mode and Celery over a folder, no server to install. DATABASE_URL and
BROKER_URL alone turn the same code into PostgreSQL and Redis. One file, past one sitting, so that a
setting is looked for in one place.
"""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from trackside.embedded import filesystem_broker, secret_key_in

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- where things lie -------------------------------------------------------------------------

VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var")))
VAR_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key_in(VAR_DIR)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

ROOT_URLCONF = "trackside.urls"
WSGI_APPLICATION = "trackside.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- parts ------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
    "trackside",
    "campaigns",
    "scoring",
]
MIDDLEWARE = [
    "trackside.request_ids.stamp_request",
    "csp.middleware.CSPMiddleware",  # around all that refuses: its pages have the policy too
    "trackside.middleware.take_client_address",
    "trackside.middleware.use_site_url",
    "trackside.middleware.stamp_arrival",
    "trackside.middleware.refuse_nul",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "trackside.middleware.forbid_storing",
    "trackside.middleware.explain_refused_methods",
    "trackside.robots.keep_robots_from_choices",
    "trackside.middleware.limit_uploads",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "trackside.middleware.LimitAnalyses",
]
if DEBUG:  # the admin sees everything, so it is a developer's tool and not part of the site
    INSTALLED_APPS.append("django.contrib.admin")

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- database ---------------------------------------------------------------------------------

DATABASES = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR}/trackside.sqlite3")
}
USES_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
if USES_SQLITE:
    # IMMEDIATE: a transaction that will write takes its lock at once, and so never has to fail
    # half-way because somebody wrote in between.
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;"
            "PRAGMA foreign_keys=ON;PRAGMA cache_size=-20000;PRAGMA temp_store=MEMORY;"
            "PRAGMA mmap_size=134217728;"
        ),
    }
else:
    DATABASES["default"]["ENGINE"] = "trackside.postgres"
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # A server that has not answered for so long, and does not answer a new connection either, is
    # given up. Less for web processes, by trackside/wsgi.py.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        silent_seconds=env.float("DATABASE_SILENT_SECONDS", default=6)
    )
    SESSION: dict[str, str] = {}  # what PostgreSQL is asked to hold to
    # A host that loses the network says nothing. Both ends of a connection look for a sign of life,
    # and PostgreSQL releases the rows that a lost worker had locked.
    if KEEPALIVE_SECONDS := env.int("DATABASE_KEEPALIVE_SECONDS", default=30):
        for name, value in {
            "idle": max(1, KEEPALIVE_SECONDS // 3),
            "interval": max(1, KEEPALIVE_SECONDS // 6),
            "count": 4,
        }.items():
            DATABASES["default"]["OPTIONS"][f"keepalives_{name}"] = value
            SESSION[f"tcp_keepalives_{name}"] = str(value)
        DATABASES["default"]["OPTIONS"]["tcp_user_timeout"] = 1000 * KEEPALIVE_SECONDS
        SESSION["tcp_user_timeout"] = f"{KEEPALIVE_SECONDS}s"
    # PostgreSQL ends what takes longer, and who holds rows for twice as long without a word. Set
    # for web processes, by trackside/wsgi.py; a worker's leases and time limits are its own.
    if STATEMENT_SECONDS := env.int("STATEMENT_SECONDS", default=0):
        SESSION["statement_timeout"] = f"{STATEMENT_SECONDS}s"
        SESSION["idle_in_transaction_session_timeout"] = f"{2 * STATEMENT_SECONDS}s"
    if SESSION:
        DATABASES["default"]["OPTIONS"]["options"] = " ".join(
            f"-c {name}={value}" for name, value in SESSION.items()
        )

# --- files ------------------------------------------------------------------------------------

# A folder, or a bucket of an S3 store: then web and workers share no disk.
S3_BUCKET = env.str("S3_BUCKET", default="")
STORAGES = {
    "default": {
        "BACKEND": "trackside.s3.PlainS3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": env.str("S3_ENDPOINT", default=None),
            "region_name": env.str("S3_REGION", default=None),
            "access_key": env.str("S3_ACCESS_KEY", default=None),
            "secret_key": env.str("S3_SECRET_KEY", default=None),
            "default_acl": None,  # the bucket's own rules; nothing of ours is public
            # Names are random. To ask first whether one is free would be a request for each file.
            "file_overwrite": True,
        },
    }
    if S3_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env.str("FILES_DIR", default=str(VAR_DIR / "files")),
            # Not FILE_UPLOAD_PERMISSIONS: collectstatic obeys that too, and its files are for all.
            "file_permissions_mode": 0o640,
        },
    },
    "staticfiles": {
        "BACKEND": env.str(
            "STATICFILES_STORAGE",
            default="django.contrib.staticfiles.storage.StaticFilesStorage",
        )
    },
}
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 5
MAX_UPLOAD_BYTES = env.int("MAX_UPLOAD_BYTES", default=400 * 1024 * 1024)
MAX_UNPACKED_BYTES = env.int("MAX_UNPACKED_BYTES", default=1 << 30)
MAX_READING_SECONDS = env.float("MAX_READING_SECONDS", default=60)  # processor time, for one file

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR_DIR / "static")))
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "trackside.static_finders.PlotlyFinder",
]
# The embedded site serves static files from where they are installed, without collecting them.
WHITENOISE_USE_FINDERS = env.bool("WHITENOISE_USE_FINDERS", default=True)
WHITENOISE_MAX_AGE = env.int("STATIC_MAX_AGE", default=300)

# An upload that began before a deadline counts if it is complete so many seconds after it. Any
# upload must be complete within as many seconds and what its size takes at the least rate.
UPLOAD_ALLOWANCE_SECONDS = env.float("UPLOAD_ALLOWANCE_SECONDS", default=120)
UPLOAD_LEAST_BYTES_PER_SECOND = env.int("UPLOAD_LEAST_BYTES_PER_SECOND", default=16_000)

# --- background work --------------------------------------------------------------------------

BROKER_URL = env.str("BROKER_URL", default="filesystem://localhost")
USES_FOLDER_BROKER = BROKER_URL.startswith("filesystem:")
if USES_FOLDER_BROKER and not USES_SQLITE:
    raise ImproperlyConfigured(
        "PostgreSQL needs a broker that more than one machine can reach: set BROKER_URL to Redis."
    )
CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_TRANSPORT_OPTIONS = (
    filesystem_broker(
        VAR_DIR / "broker", polling_interval=env.float("POLLING_INTERVAL", default=0.1)
    )
    if USES_FOLDER_BROKER
    else {
        "visibility_timeout": 6 * 3600,
        "socket_keepalive": True,
        "health_check_interval": 30,
        # Less for web processes, by trackside/wsgi.py.
        "socket_timeout": env.float("BROKER_SECONDS", default=5),
        "socket_connect_timeout": min(env.float("BROKER_SECONDS", default=5), 2),
        "max_retries": 0,  # whoever rings does not wait for a broker that is down
    }
)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 900
CELERY_TASK_SOFT_TIME_LIMIT = 810
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False  # the sweeper rings again; a page never waits for the broker
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # kB: who has read a very large file makes way
CELERY_WORKER_LOST_WAIT = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Seconds. Lease: how long a claimed job is believed to be alive without news. Renewal: how often
# its worker says so. Sweep: how often somebody looks for the silent ones.
LEASE_SECONDS = env.float("LEASE_SECONDS", default=90)
RENEWAL_SECONDS = env.float("RENEWAL_SECONDS", default=30)
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=30)
JOB_ATTEMPTS = env.int("JOB_ATTEMPTS", default=3)
# How many analyses run at a time on all workers together; one less than the workers have slots.
ANALYSES_AT_ONCE = env.int("ANALYSES_AT_ONCE", default=1)

# Who watches the site: how long work may wait before it is not well, and who may read the figures.
LONGEST_WAIT_SECONDS = env.float("LONGEST_WAIT_SECONDS", default=120)
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

# --- counts of attempts ------------------------------------------------------------------------

# Failed logins are counted in the database, by all processes together: guesses would else be had
# once more from each. The API's throttles, asked by every request, are each process's own; quotas
# are rows. No page waits for a cache that is down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_counts",  # made by a migration
        # Django's 300 could be filled with counts of other names, to delete those of one account.
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    "throttles": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
}

# --- people -----------------------------------------------------------------------------------

AUTH_USER_MODEL = "campaigns.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_REDIRECT_URL = "campaigns:campaign-list"
ACCOUNT_LOGOUT_REDIRECT_URL = "campaigns:campaign-list"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_ADAPTER = "campaigns.people.account_adapter.AccountAdapter"
ACCOUNT_FORMS = {"signup": "campaigns.people.sign_up_form.SignUpForm"}
ACCOUNT_RATE_LIMITS = {
    # A class behind one address signs up within a minute, each with an attempt or two. Over an hour
    # that is less than allauth's own 20/m. There is no limit on all sign-ups of the site together:
    # one person could use it up for everybody.
    "signup": "60/m/ip,240/h/ip",
    "login": "60/m/ip",
    # Of campaigns/people/login_limits.py. One address can use up a tenth of an account's limit.
    "login_failed": "5/5m/key,20/h/key",  # account and address
    "login_failed_account": "200/h/key",
    "login_failed_address": "30/m/ip,200/h/ip",
}
ACCOUNT_USER_DISPLAY = "campaigns.people.membership.display_name"
# Without a mail server an address cannot be confirmed; with one it must be.
EMAIL_URL = env.str("EMAIL_URL", default="")
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
# Requests store their mails, and workers send them: no page waits for a mail server.
MAIL_TRANSPORT = vars()["EMAIL_BACKEND"]  # by which a worker sends
EMAIL_BACKEND = "campaigns.mail.outbox.StoredMail"
MAIL_HOURS = 24  # a mail that was not sent by then is deleted; its links are of no use any more
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", default=10)  # seconds, for each step of a mail
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="trackside@localhost")

# Who may make a campaign: "anyone" with an account, "approved" people, or "staff".
WHO_MAY_CREATE_CAMPAIGNS = env.str("WHO_MAY_CREATE_CAMPAIGNS", default="approved")
if WHO_MAY_CREATE_CAMPAIGNS not in {"anyone", "approved", "staff"}:
    raise ImproperlyConfigured("WHO_MAY_CREATE_CAMPAIGNS is anyone, approved or staff.")

# --- browser and wire -------------------------------------------------------------------------

IS_HTTPS = env.bool("HTTPS", default=False)
# Scheme and host that every absolute link begins with. Without it mails of a campaign have none.
SITE_URL = env.str("SITE_URL", default="").rstrip("/")
if IS_HTTPS and not SITE_URL.startswith("https://"):
    raise ImproperlyConfigured(
        "HTTPS is set: SITE_URL must name the site, such as https://evaluation.example.org. "
        "Links in mails must not be made of what a client sends."
    )
# How many proxies of ours add an address to X-Forwarded-For. trackside.middleware puts the client's
# into REMOTE_ADDR, which Django, allauth and REST framework then read.
NUM_PROXIES = env.int("NUM_PROXIES", default=0)
# The header in which the proxy notes when a request began, in seconds of Unix time; it overwrites
# whatever a client sends by that name. Empty: the application's own clock.
ARRIVAL_HEADER = env.str("ARRIVAL_HEADER", default="")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = IS_HTTPS
if IS_HTTPS:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# The preload list binds all of a domain for good: for its owner to ask, not for us.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        # Plotly places its colour bars with style attributes; no sheet and no script is let in.
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": [SELF, "data:", "blob:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

REST_KNOX = {"TOKEN_TTL": timedelta(days=365), "TOKEN_LIMIT_PER_USER": 10}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "knox.auth.TokenAuthentication",  # the first one names itself in a 401
        "rest_framework.authentication.SessionAuthentication",
    ],
    # Views look rows up through visible_to(user); what one may not see is not found.
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "campaigns.api.refusals.refusal",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
    # Against scripts that run away; quotas are in the database.
    "DEFAULT_THROTTLE_CLASSES": [
        "campaigns.api.throttles.AnonThrottle",
        "campaigns.api.throttles.UserThrottle",
        "campaigns.api.throttles.ScopedThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": env("THROTTLE_ANON", default="120/min"),
        "user": env("THROTTLE_USER", default="600/min"),
        "uploads": env("THROTTLE_UPLOADS", default="60/hour"),
        "analyses": env.str("THROTTLE_ANALYSES", default="60/hour"),  # new ones, on pages too
        "organise": env("THROTTLE_ORGANISE", default="120/hour"),
    },
    "NUM_PROXIES": 0,  # REMOTE_ADDR is the client's already
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Trackside",
    "DESCRIPTION": "Campaigns, runs and leaderboards; every number says how sure it is.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    # A deep link is a link within a button, which no keyboard or screen reader makes sense of.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
}

# --- words, time and logs ---------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"named": {"()": "trackside.request_ids.Named"}},
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"},
        "json": {"()": "trackside.request_ids.JsonLines"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "json" if env.bool("JSON_LOGS", default=False) else "line",
            "filters": ["named"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
}

# Faults told to a Sentry, where one is named: without what people send.
if SENTRY_DSN := env.str("SENTRY_DSN", default=""):
    import sentry_sdk

    sentry_sdk.init(dsn=SENTRY_DSN, send_default_pii=False, max_request_body_size="never")
