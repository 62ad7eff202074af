"""Files in an S3 store: whatever goes in comes out as it was, and no disk is shared."""

import gzip
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import boto3
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from moto.server import ThreadedMotoServer

from campaigns.models import Run
from scoring.models import Evaluation
from tests.flow_world import World, run_file, wake_ups, world
from tests.patience import PATIENCE, wait_for
from trackside.processes import free_port, listens
from trackside.s3 import IN_MEMORY

__all__ = ["wake_ups", "world"]

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def moto() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@contextmanager
def rclone() -> Iterator[str]:
    """A server that people run, over a folder."""
    port = free_port()
    program = Path(sys.executable).with_name("rclone")
    with TemporaryDirectory() as folder:
        words = ("serve", "s3", "--addr", f"127.0.0.1:{port}", "--auth-key", "key,secret")
        server = subprocess.Popen([program, *words, "--config", "", folder])
        try:
            wait_for("rclone", lambda: listens(port))
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(PATIENCE)


@pytest.fixture(scope="module", params=[moto, rclone])
def store(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """A bucket of a real S3 API on this machine."""
    with request.param() as url:
        client = boto3.client(
            "s3",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        client.create_bucket(Bucket="trackside")
        yield {
            "bucket_name": "trackside",
            "endpoint_url": url,
            "region_name": "us-east-1",
            "access_key": "key",
            "secret_key": "secret",
        }


@pytest.fixture
def in_the_store(world: World, store: dict[str, str], settings: object) -> World:
    storage = {
        "BACKEND": "trackside.s3.PlainS3Storage",
        "OPTIONS": store | {"default_acl": None, "file_overwrite": True},
    }
    settings.STORAGES = settings.STORAGES | {"default": storage}
    return world


def test_a_run_is_uploaded_scored_and_given_back_as_it_was(in_the_store: World) -> None:
    in_the_store.add_qrels()
    packed = gzip.compress(run_file())
    run = in_the_store.submitted_run(packed)
    assert run.state == Run.State.ACCEPTED
    assert Evaluation.objects.get(run=run).state == Evaluation.State.SCORED
    assert default_storage.open(run.storage_key).read() == packed
    assert (run.size, run.digest) == (len(packed), hashlib.sha256(packed).hexdigest())
    url = reverse("campaigns:run-file", args=[in_the_store.campaign.slug, run.public_id])
    answer = in_the_store.browser.get(url)
    assert b"".join(answer.streaming_content) == packed
    assert not answer.has_header("Content-Encoding")


def test_a_large_file_is_read_with_little_memory(in_the_store: World) -> None:
    size = 3 * IN_MEMORY
    key = default_storage.save("large", ContentFile(bytes(size)))
    with default_storage.open(key) as file:
        assert file.read(1) == b"\0"
        assert os.fstat(file.file.fileno()).st_size == size  # a file of the disk has a number
    default_storage.delete(key)


def test_the_file_of_a_refused_run_is_gone_from_the_store(in_the_store: World) -> None:
    run = in_the_store.submitted_run(b"not a run\n")
    assert (run.state, run.storage_key) == (Run.State.REFUSED, "")
    assert default_storage.listdir("runs")[1] == []


def test_an_unavailable_store_refuses_uploads_and_is_reported(
    in_the_store: World, settings: object
) -> None:
    away = settings.STORAGES["default"]
    options = away["OPTIONS"] | {"endpoint_url": f"http://127.0.0.1:{free_port()}"}
    settings.STORAGES = settings.STORAGES | {"default": away | {"OPTIONS": options}}
    in_the_store.browser.raise_request_exception = False
    answer = in_the_store.submit_by_script(run_file())
    assert (answer.status_code, answer.json()["code"]) == (503, "away")
    assert Run.objects.count() == 0
