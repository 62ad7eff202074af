"""Every setting of the site, read from the environment; the defaults are the embedded site.

The embedded site uses SQLite in WAL mode and Celery over a folder, and needs no server. With
DATABASE_URL and BROKER_URL the same code runs on PostgreSQL and Redis.
"""

import logging
import os
from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from trackside.api_version import API_VERSION
from trackside.databases import postgres_settings, sqlite_settings
from trackside.embedded import filesystem_broker, secret_key_in
from trackside.environment import Environment
from trackside.folders import BASE_DIR, data_folder
from trackside.login_providers import login_providers

env = Environment(os.environ)

# --- paths ------------------------------------------------------------------------------------

VAR_DIR = Path(env.string("VAR_DIR", default=str(data_folder())))
VAR_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.boolean("DEBUG", default=False)
SECRET_KEY = env.string("SECRET_KEY") or secret_key_in(VAR_DIR)
ALLOWED_HOSTS = env.strings("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.strings("CSRF_TRUSTED_ORIGINS", default=[])

ROOT_URLCONF = "trackside.urls"
WSGI_APPLICATION = "trackside.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- applications ------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.orcid",
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
    "csp.middleware.CSPMiddleware",  # first, so that refusals have the policy too
    "trackside.middleware.state_api_version",
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
    "trackside.login_pages.LoginPages",
    "trackside.middleware.LimitClients",
]
if DEBUG:  # the admin shows everything, so it is only for developers
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
    "default": env.database_url(
        "DATABASE_URL",
        default={
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(VAR_DIR / "trackside.sqlite3"),
        },
    )
}
USES_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
DATABASES["default"] |= (
    sqlite_settings()
    if USES_SQLITE
    else postgres_settings(env, DATABASES["default"].get("OPTIONS", {}))
)

# --- files ------------------------------------------------------------------------------------

# A folder, or a bucket of an S3 store if web servers and workers share no disk.
S3_BUCKET = env.matching(
    "S3_BUCKET", r"[\w.-]{3,255}|arn:.+", "the name of a bucket, without a URL or a path"
)
S3_ACCESS_KEY, S3_SECRET_KEY = env.string("S3_ACCESS_KEY"), env.string("S3_SECRET_KEY")
if bool(S3_ACCESS_KEY) != bool(S3_SECRET_KEY):
    raise ImproperlyConfigured("Set both S3_ACCESS_KEY and S3_SECRET_KEY, or neither.")
STORAGES = {
    "default": {
        "BACKEND": "trackside.s3.PlainS3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": env.http_url("S3_ENDPOINT") or None,
            "region_name": env.matching("S3_REGION", r"[\w-]+", "a region such as us-east-1")
            or None,
            "access_key": S3_ACCESS_KEY or None,
            "secret_key": S3_SECRET_KEY or None,
            "default_acl": None,  # the rules of the bucket; no file is public
            "file_overwrite": True,  # names are random, so a check would be a wasted request
        },
    }
    if S3_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env.string("FILES_DIR", default=str(VAR_DIR / "files")),
            # Not FILE_UPLOAD_PERMISSIONS, which also applies to the public files of collectstatic.
            "file_permissions_mode": 0o640,
        },
    },
    "staticfiles": {
        "BACKEND": env.string(
            "STATICFILES_STORAGE",
            default="django.contrib.staticfiles.storage.StaticFilesStorage",
        )
    },
}
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 5
MAX_UPLOAD_BYTES = env.integer("MAX_UPLOAD_BYTES", default=400 * 1024 * 1024)
MAX_TOPICS = env.integer("MAX_TOPICS", default=10_000)  # in one file
MAX_TOPIC_BYTES = env.integer("MAX_TOPIC_BYTES", default=16 << 20)  # plain
MAX_UNPACKED_BYTES = env.integer("MAX_UNPACKED_BYTES", default=1 << 30)
MAX_READING_SECONDS = env.number("MAX_READING_SECONDS", default=60)  # processor time, for one file
# Of qrels, judgments and documents that a request reads itself; a worker reads larger ones.
MAX_REQUEST_READING_SECONDS = env.number("MAX_REQUEST_READING_SECONDS", default=5)
MAX_REQUEST_READING_BYTES = env.integer("MAX_REQUEST_READING_BYTES", default=64 << 20)  # plain

STATIC_URL = "static/"
STATIC_ROOT = Path(env.string("STATIC_ROOT", default=str(VAR_DIR / "static")))
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "trackside.static_finders.PlotlyFinder",
]
# The embedded site serves static files without collecting them.
WHITENOISE_USE_FINDERS = env.boolean("WHITENOISE_USE_FINDERS", default=True)
WHITENOISE_MAX_AGE = env.integer("STATIC_MAX_AGE", default=300)

# An upload that began before a deadline counts if it is complete this many seconds after it. Every
# upload must be complete within this time plus the time that its size takes at the lowest rate.
UPLOAD_ALLOWANCE_SECONDS = env.number("UPLOAD_ALLOWANCE_SECONDS", default=120)
UPLOAD_LEAST_BYTES_PER_SECOND = env.integer(
    "UPLOAD_LEAST_BYTES_PER_SECOND", default=16_000, least=1
)

# --- background work --------------------------------------------------------------------------

BROKER_URL = env.broker_url("BROKER_URL", default="filesystem://localhost")
USES_FOLDER_BROKER = BROKER_URL.startswith("filesystem:")
if USES_FOLDER_BROKER and not USES_SQLITE:
    raise ImproperlyConfigured(
        "PostgreSQL needs a broker that more than one machine can reach: set BROKER_URL to Redis."
    )
BROKER_SECONDS = env.number("BROKER_SECONDS", default=5, least=0.1)
CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_TRANSPORT_OPTIONS = (
    filesystem_broker(
        VAR_DIR / "broker",
        polling_interval=env.number("POLLING_INTERVAL", default=0.1, least=0.01),
    )
    if USES_FOLDER_BROKER
    else {
        "visibility_timeout": 6 * 3600,
        "socket_keepalive": True,
        "health_check_interval": 30,
        # trackside/wsgi.py sets less for web processes.
        "socket_timeout": BROKER_SECONDS,
        "socket_connect_timeout": min(BROKER_SECONDS, 2),
        "max_retries": 0,  # do not wait for a broker that is down
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
CELERY_TASK_PUBLISH_RETRY = False  # the sweeper sends messages again
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # kB
CELERY_WORKER_LOST_WAIT = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Seconds. A job whose lease is not renewed in time is given to another worker. Workers renew leases
# every RENEWAL_SECONDS and look for expired ones every SWEEP_SECONDS.
LEASE_SECONDS = env.number("LEASE_SECONDS", default=90, least=0.1)
RENEWAL_SECONDS = env.number("RENEWAL_SECONDS", default=30, least=0.1)
SWEEP_SECONDS = env.number("SWEEP_SECONDS", default=30, least=0.1)
JOB_ATTEMPTS = env.integer("JOB_ATTEMPTS", default=3, least=1)
# The share of all workers' slots that quick analyses may use. Long ones may use half as many.
ANALYSES_SHARE = env.number("ANALYSES_SHARE", default=0.5, most=1)

# Monitoring: the longest healthy waiting time of a job, and the token for the metrics.
LONGEST_WAIT_SECONDS = env.number("LONGEST_WAIT_SECONDS", default=120)
METRICS_TOKEN = env.string("METRICS_TOKEN")

# --- counts of attempts ------------------------------------------------------------------------

# Failed logins, uploads and changes are counted in the database, for all processes together. The
# API's limits by the minute are checked by every request, so each process counts its own. There is
# no cache server to wait for.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_counts",  # created by a migration
        # An attacker could fill Django's default of 300 to evict the counts of one account.
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
ACCOUNT_SIGNUP_FORM_CLASS = "campaigns.people.forms.NameForm"
ACCOUNT_SIGNUP_REDIRECT_URL = "campaigns:welcome"
ACCOUNT_FORMS = {"signup": "campaigns.people.sign_up_form.SignUpForm"}
ACCOUNT_RATE_LIMITS = {
    # A class behind one address can sign up within a minute. There is no limit for the whole site,
    # which one person could use up for everybody.
    "signup": "60/m/ip,240/h/ip",
    "login": "60/m/ip",
    # See campaigns/people/login_limits.py. One address can use up a tenth of an account's limit.
    "login_failed": "5/5m/key,20/h/key",  # account and address
    "login_failed_account": "200/h/key",
    "login_failed_address": "30/m/ip,200/h/ip",
}
ACCOUNT_USER_DISPLAY = "campaigns.people.membership.display_name"
# Email addresses are confirmed if there is a mail server.
EMAIL_URL = env.string("EMAIL_URL")
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Trackside: "
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of each change by which somebody could take an account over
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # only in the browser that signed up
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
# Requests store emails, and workers send them with MAIL_TRANSPORT.
MAIL_TRANSPORT = vars()["EMAIL_BACKEND"]
EMAIL_BACKEND = "campaigns.mail.outbox.StoredMail"
MAIL_HOURS = 24  # an unsent email is deleted after this time
# Seconds for each step of the protocol.
EMAIL_TIMEOUT = env.number("EMAIL_TIMEOUT", default=10, least=0.1)
DEFAULT_FROM_EMAIL = env.string("DEFAULT_FROM_EMAIL", default="trackside@localhost")

# Logins with other sites, and a second factor: off until configured.
SOCIALACCOUNT_PROVIDERS = login_providers(env)
SOCIALACCOUNT_ADAPTER = "campaigns.people.social_adapter.SocialAccountAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # see campaigns/people/social_adapter.py
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True  # where OIDC_TRUST_EMAIL allows it
SECOND_FACTOR = env.choice("SECOND_FACTOR", ["off", "optional", "organisers"], default="off")
MFA_ADAPTER = "campaigns.people.second_factor.SecondFactorAdapter"
MFA_TOTP_ISSUER = "Trackside"
MFA_TOTP_TOLERANCE = 1  # the clocks of phones differ by some seconds
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_URL

# Shown to people who may not create campaigns.
OPERATOR_EMAIL = env.matching("OPERATOR_EMAIL", ".*@.*", "an email address")
# Who may create campaigns: "anyone" with an account, "approved" people, or "staff".
WHO_MAY_CREATE_CAMPAIGNS = env.choice(
    "WHO_MAY_CREATE_CAMPAIGNS", ["anyone", "approved", "staff"], default="approved"
)

# --- HTTP -------------------------------------------------------------------------------------

IS_HTTPS = env.boolean("HTTPS", default=False)
# Scheme and host of absolute links. Without it, emails of campaigns have no links.
SITE_URL = env.site_url("SITE_URL")
if IS_HTTPS and not SITE_URL.startswith("https://"):
    raise ImproperlyConfigured(
        "HTTPS is set: SITE_URL must name the site, such as https://evaluation.example.org. "
        "Links in emails must not depend on what a client sends."
    )
# Number of own proxies that add an address to X-Forwarded-For, for trackside.middleware.
NUM_PROXIES = env.integer("NUM_PROXIES", default=0)
# The header in which the proxy sets the Unix time when a request began. Empty: no such proxy.
ARRIVAL_HEADER = env.string("ARRIVAL_HEADER")
# The home page logs anybody in to the accounts of the demo. Other sites are refused here and not in
# trackside/checks.py, because web servers run no checks.
DEMO_LOGINS = env.boolean("DEMO_LOGINS", default=False)
if DEMO_LOGINS and not (
    USES_SQLITE
    and not IS_HTTPS
    and not NUM_PROXIES
    and {*ALLOWED_HOSTS} <= {"localhost", "127.0.0.1", "[::1]"}
):
    raise ImproperlyConfigured(
        "DEMO_LOGINS lets anybody log in without a password. Unset it, or use SQLite, no proxy and "
        "no host besides localhost, as the demo does."
    )
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = IS_HTTPS
if IS_HTTPS:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Only the owner of a domain may decide about the HSTS preload list.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        # Plotly uses style attributes for its colour bars. Style sheets and scripts stay forbidden.
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
        "campaigns.people.second_factor.TokenAuthentication",  # the first one is named in a 401
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "campaigns.api.refusals.refusal",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
    # Against runaway scripts. Quotas are in the database.
    "DEFAULT_THROTTLE_CLASSES": [
        "campaigns.api.throttles.AnonThrottle",
        "campaigns.api.throttles.UserThrottle",
        "campaigns.api.throttles.ScopedThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": env.rate("THROTTLE_ANON", default="120/min"),
        "user": env.rate("THROTTLE_USER", default="600/min"),
        "uploads": env.rate("THROTTLE_UPLOADS", default="60/hour"),
        "analyses": env.rate("THROTTLE_ANALYSES", default="60/hour"),  # new ones, on pages too
        "trials": env.rate("THROTTLE_TRIALS", default="60/hour"),  # files, on pages too
        "organise": env.rate("THROTTLE_ORGANISE", default="120/hour"),
        "programs": env.rate("THROTTLE_PROGRAMS", default="600/min"),  # of each program that judges
    },
    "NUM_PROXIES": 0,  # REMOTE_ADDR is the client's address already
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Trackside",
    "DESCRIPTION": "Campaigns, runs and leaderboards. Every score has a residual.",
    "VERSION": API_VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    # Deep links are links inside buttons, which keyboards and screen readers cannot use.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
}

# --- language, time and logs ------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOG_LEVEL = env.choice("LOG_LEVEL", list(logging.getLevelNamesMapping()), default="INFO")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "named": {"()": "trackside.request_ids.Named"},
        "without_secrets": {"()": "trackside.secret_paths.WithoutSecrets"},
    },
    "formatters": {
        "line": {
            "()": "trackside.log_lines.TextLines",
            "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s",
        },
        "json": {"()": "trackside.request_ids.JsonLines"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "json" if env.boolean("JSON_LOGS", default=False) else "line",
            "filters": ["named", "without_secrets"],
        }
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
}

# Errors are reported to Sentry if a DSN is set, without request bodies.
if SENTRY_DSN := env.sentry_dsn("SENTRY_DSN"):
    import sentry_sdk

    from trackside.secret_paths import scrub_event

    sentry_sdk.init(
        dsn=SENTRY_DSN,
        send_default_pii=False,
        max_request_body_size="never",
        before_send=scrub_event,
    )
