# One image for web, worker and migrate; docker-compose.yml says which it is.
FROM python:3.13-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /app

# The packages first: they change less often than the code does.
COPY pyproject.toml constraints.txt README.md ./
RUN mkdir campaigns scoring config \
    && pip install --disable-pip-version-check -c constraints.txt -e '.[web,production]'
COPY . .

RUN useradd --system --uid 10001 --no-create-home trackside \
    && install --directory --owner trackside --mode 750 /var/lib/trackside
ENV VAR_DIR=/var/lib/trackside
VOLUME /var/lib/trackside
USER trackside

EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", \
     "--workers", "2", "--threads", "8", "--access-logfile", "-", "--no-control-socket", \
     "--worker-tmp-dir", "/dev/shm"]
