"""gunicorn reads this file wherever it is started in this folder. The limits are not below those of
the proxy, so only the proxy refuses a request that is too long, with a page of the site."""

limit_request_line = 8190
limit_request_field_size = 8190
limit_request_fields = 32768
