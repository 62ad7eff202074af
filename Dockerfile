# One image for web, worker and migrate; docker-compose.yml says which it is.
FROM python:3.13-slim-bookworm AS built

ENV PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore VIRTUAL_ENV=/opt/trackside
RUN python -m venv "$VIRTUAL_ENV"
ENV PATH="$VIRTUAL_ENV/bin:$PATH"
WORKDIR /app

# The packages first: they change less often than the code does.
COPY pyproject.toml constraints.txt README.md ./
RUN mkdir campaigns scoring config \
    && pip install --disable-pip-version-check -c constraints.txt -e '.[web,production]'
COPY . .

# Named by their content and packed beforehand, so that serving them costs nothing.
ENV STATICFILES_STORAGE=whitenoise.storage.CompressedManifestStaticFilesStorage
RUN SECRET_KEY=only-for-this-step STATIC_ROOT=/app/collected python manage.py collectstatic --no-input

FROM python:3.13-slim-bookworm

# Two arenas: with one for each thread a process keeps far more memory than it uses.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=2 PATH="/opt/trackside/bin:$PATH" \
    VAR_DIR=/var/lib/trackside STATIC_ROOT=/app/collected WHITENOISE_USE_FINDERS=false \
    STATIC_MAX_AGE=31536000 \
    STATICFILES_STORAGE=whitenoise.storage.CompressedManifestStaticFilesStorage
WORKDIR /app
COPY --from=built /opt/trackside /opt/trackside
COPY --from=built /app /app
RUN useradd --system --uid 10001 --no-create-home trackside \
    && install --directory --owner trackside --mode 750 /var/lib/trackside
USER trackside

EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", \
     "--workers", "2", "--threads", "8", "--access-logfile", "-", "--no-control-socket", \
     "--keep-alive", "30", "--worker-tmp-dir", "/dev/shm"]
