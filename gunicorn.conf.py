"""gunicorn reads this file wherever it is started in this folder. The limits are not below those of
the proxy, so only the proxy refuses a request that is too long, with a page of the site."""

limit_request_line = 8190
limit_request_field_size = 8190
limit_request_fields = 32768

# Used where GUNICORN_CMD_ARGS="--access-logfile -" asks for an access log: without query strings,
# and with the request's id.
access_log_format = "%(t)s %(h)s %(m)s %(U)s %(s)s %(B)s %(M)sms [%({x-request-id}o)s]"
