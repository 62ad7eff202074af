"""The settings of gunicorn. The limits are not lower than those of the proxy, so only the proxy
refuses a request that is too long, with a page of the site."""

limit_request_line = 8190
limit_request_field_size = 8190
limit_request_fields = 32768

logger_class = "trackside.access_log.AccessLogger"
# Used if GUNICORN_CMD_ARGS="--access-logfile -" enables the access log. Its lines contain the
# request id, but no query strings and no secrets of links.
access_log_format = "%(t)s %(h)s %(m)s %(U)s %(s)s %(B)s %(M)sms [%({x-request-id}o)s]"
