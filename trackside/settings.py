"""Every setting of the site, read from the environment; the defaults are the embedded site.

The embedded site uses SQLite in WAL mode and Celery over a folder, and needs no server. With
DATABASE_URL and BROKER_URL the same code runs on PostgreSQL and Redis.
"""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from trackside.databases import postgres_settings, sqlite_settings
from trackside.embedded import filesystem_broker, secret_key_in
from trackside.folders import BASE_DIR, data_folder
from trackside.login_providers import login_providers

env = environ.Env()

# --- paths ------------------------------------------------------------------------------------

VAR_DIR = Path(env.str("VAR_DIR", default=str(data_folder())))
VAR_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key_in(VAR_DIR)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

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
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR}/trackside.sqlite3")
}
USES_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
DATABASES["default"] |= (
    sqlite_settings()
    if USES_SQLITE
    else postgres_settings(env, DATABASES["default"].get("OPTIONS", {}))
)

# --- files ------------------------------------------------------------------------------------

# A folder, or a bucket of an S3 store if web servers and workers share no disk.
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
            "default_acl": None,  # the rules of the bucket; no file is public
            "file_overwrite": True,  # names are random, so a check would be a wasted request
        },
    }
    if S3_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env.str("FILES_DIR", default=str(VAR_DIR / "files")),
            # Not FILE_UPLOAD_PERMISSIONS, which also applies to the public files of collectstatic.
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
MAX_TOPICS = env.int("MAX_TOPICS", default=10_000)  # in one file
MAX_TOPIC_BYTES = env.int("MAX_TOPIC_BYTES", default=16 << 20)  # plain
MAX_UNPACKED_BYTES = env.int("MAX_UNPACKED_BYTES", default=1 << 30)
MAX_READING_SECONDS = env.float("MAX_READING_SECONDS", default=60)  # processor time, for one file
# Of qrels, judgments and documents that a request reads itself; a worker reads larger ones.
MAX_REQUEST_READING_SECONDS = env.float("MAX_REQUEST_READING_SECONDS", default=5)
MAX_REQUEST_READING_BYTES = env.int("MAX_REQUEST_READING_BYTES", default=64 << 20)  # plain

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR_DIR / "static")))
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "trackside.static_finders.PlotlyFinder",
]
# The embedded site serves static files without collecting them.
WHITENOISE_USE_FINDERS = env.bool("WHITENOISE_USE_FINDERS", default=True)
WHITENOISE_MAX_AGE = env.int("STATIC_MAX_AGE", default=300)

# An upload that began before a deadline counts if it is complete this many seconds after it. Every
# upload must be complete within this time plus the time that its size takes at the lowest rate.
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
        # trackside/wsgi.py sets less for web processes.
        "socket_timeout": env.float("BROKER_SECONDS", default=5),
        "socket_connect_timeout": min(env.float("BROKER_SECONDS", default=5), 2),
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
LEASE_SECONDS = env.float("LEASE_SECONDS", default=90)
RENEWAL_SECONDS = env.float("RENEWAL_SECONDS", default=30)
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=30)
JOB_ATTEMPTS = env.int("JOB_ATTEMPTS", default=3)
# The share of all workers' slots that quick analyses may use. Long ones may use half as many.
ANALYSES_SHARE = env.float("ANALYSES_SHARE", default=0.5)

# Monitoring: the longest healthy waiting time of a job, and the token for the metrics.
LONGEST_WAIT_SECONDS = env.float("LONGEST_WAIT_SECONDS", default=120)
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

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
EMAIL_URL = env.str("EMAIL_URL", default="")
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Trackside: "
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # only in the browser that signed up
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
# Requests store emails, and workers send them with MAIL_TRANSPORT.
MAIL_TRANSPORT = vars()["EMAIL_BACKEND"]
EMAIL_BACKEND = "campaigns.mail.outbox.StoredMail"
MAIL_HOURS = 24  # an unsent email is deleted after this time
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", default=10)  # seconds for each step of the protocol
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="trackside@localhost")

# Logins with other sites, and a second factor: off until configured.
SOCIALACCOUNT_PROVIDERS = login_providers(env)
SOCIALACCOUNT_ADAPTER = "campaigns.people.social_adapter.SocialAccountAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # see campaigns/people/social_adapter.py
SECOND_FACTOR = env.str("SECOND_FACTOR", default="off")
if SECOND_FACTOR not in {"off", "optional", "organisers"}:
    raise ImproperlyConfigured("SECOND_FACTOR is off, optional or organisers.")
MFA_ADAPTER = "campaigns.people.second_factor.SecondFactorAdapter"
MFA_TOTP_ISSUER = "Trackside"
MFA_TOTP_TOLERANCE = 1  # the clocks of phones differ by some seconds
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_URL

# Who may create campaigns: "anyone" with an account, "approved" people, or "staff".
# Shown to people who may not create campaigns.
OPERATOR_EMAIL = env.str("OPERATOR_EMAIL", default="")
if OPERATOR_EMAIL and "@" not in OPERATOR_EMAIL:
    raise ImproperlyConfigured("OPERATOR_EMAIL is an email address.")
WHO_MAY_CREATE_CAMPAIGNS = env.str("WHO_MAY_CREATE_CAMPAIGNS", default="approved")
if WHO_MAY_CREATE_CAMPAIGNS not in {"anyone", "approved", "staff"}:
    raise ImproperlyConfigured("WHO_MAY_CREATE_CAMPAIGNS is anyone, approved or staff.")

# --- HTTP -------------------------------------------------------------------------------------

IS_HTTPS = env.bool("HTTPS", default=False)
# Scheme and host of absolute links. Without it, emails of campaigns have no links.
SITE_URL = env.str("SITE_URL", default="").rstrip("/")
if IS_HTTPS and not SITE_URL.startswith("https://"):
    raise ImproperlyConfigured(
        "HTTPS is set: SITE_URL must name the site, such as https://evaluation.example.org. "
        "Links in emails must not depend on what a client sends."
    )
# Number of own proxies that add an address to X-Forwarded-For, for trackside.middleware.
NUM_PROXIES = env.int("NUM_PROXIES", default=0)
# The header in which the proxy sets the Unix time when a request began. Empty: no such proxy.
ARRIVAL_HEADER = env.str("ARRIVAL_HEADER", default="")
# The home page logs anybody in to the accounts of the demo. Other sites are refused here and not in
# trackside/checks.py, because web servers run no checks.
DEMO_LOGINS = env.bool("DEMO_LOGINS", default=False)
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
        "anon": env("THROTTLE_ANON", default="120/min"),
        "user": env("THROTTLE_USER", default="600/min"),
        "uploads": env("THROTTLE_UPLOADS", default="60/hour"),
        "analyses": env.str("THROTTLE_ANALYSES", default="60/hour"),  # new ones, on pages too
        "trials": env("THROTTLE_TRIALS", default="60/hour"),  # files, on pages too
        "organise": env("THROTTLE_ORGANISE", default="120/hour"),
        "programs": env("THROTTLE_PROGRAMS", default="600/min"),  # of each program that judges
    },
    "NUM_PROXIES": 0,  # REMOTE_ADDR is the client's address already
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Trackside",
    "DESCRIPTION": "Campaigns, runs and leaderboards. Every score has a residual.",
    "VERSION": "1",
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
            "formatter": "json" if env.bool("JSON_LOGS", default=False) else "line",
            "filters": ["named", "without_secrets"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
}

# Errors are reported to Sentry if a DSN is set, without request bodies.
if SENTRY_DSN := env.str("SENTRY_DSN", default=""):
    import sentry_sdk

    from trackside.secret_paths import scrub_event

    sentry_sdk.init(
        dsn=SENTRY_DSN,
        send_default_pii=False,
        max_request_body_size="never",
        before_send=scrub_event,
    )
