from allauth.core.internal import ratelimit
from django.apps import AppConfig

# allauth counts the requests of an address under a lock, and refuses a request that does not get it
# within this time, whatever the limit. Of a class that signs up at once behind one address, one
# second refuses some, and on a busy machine five do. A lock whose owner died lasts for 10 s, so no
# request is refused for it either. allauth has no setting for this.
LOCK_SECONDS = 15


class CampaignsConfig(AppConfig):
    name = "campaigns"

    def ready(self) -> None:
        ratelimit.CACHE_LOCK_WAIT_TIMEOUT = LOCK_SECONDS
