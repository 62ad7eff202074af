"""Files in an S3 store, without changes: a gzipped run is stored and returned gzipped."""

import tempfile
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from django.core.files.base import File
from storages.backends.s3 import S3File, S3Storage

from trackside.bulkhead import Bulkhead, Visit

ONE_REQUEST = 4 << 30  # bytes; more than any upload, less than the limit of one request
IN_MEMORY = 4 << 20  # bytes of a file that is read; larger files are on disk
# Seconds. If the store does not respond, a request makes at most two attempts.
TIMEOUTS = {
    "connect_timeout": 3,
    "read_timeout": 8,
    "retries": {"total_max_attempts": 2, "mode": "standard"},
}


class PlainS3Storage(S3Storage):
    """Does not guess the encoding: S3Storage marks gzipped content as Content-Encoding gzip, and
    clients then unpack it.

    Every request has time limits and goes through a bulkhead. A failure raises OSError, as in a
    folder.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.client_config = self.client_config.merge(Config(**TIMEOUTS))
        self.bulkhead = Bulkhead()

    def get_default_settings(self) -> dict[str, Any]:
        """Transfers run on the calling thread. For files as small as runs, starting threads takes
        longer than they save."""
        defaults: dict[str, Any] = super().get_default_settings()
        return defaults | {
            # In one request, because each part of a file in parts would be loaded first.
            "transfer_config": TransferConfig(use_threads=False, multipart_threshold=ONE_REQUEST),
            "max_memory_size": IN_MEMORY,  # otherwise every file is kept in memory as a whole
        }

    def get_object_parameters(self, name: str) -> dict[str, Any]:
        return super().get_object_parameters(name) | {"ContentType": "application/octet-stream"}

    def exists(self, name: str) -> bool:
        with self.bulkhead.visit(name):
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with self.bulkhead.visit(name):
            super().delete(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with self.bulkhead.visit(path) as visit:
            found: tuple[list[str], list[str]] = super().listdir(path)
            # An answer, though it has no bytes of a file.
            visit.note(0)
        return found

    def size(self, name: str) -> int:
        with self.bulkhead.visit(name):
            return int(super().size(name))

    def get_modified_time(self, name: str) -> Any:
        with self.bulkhead.visit(name):
            return super().get_modified_time(name)

    def _open(self, name: str, mode: str = "rb") -> S3File:
        with self.bulkhead.visit(name):
            file = super()._open(name, mode)
        file.__class__ = BoundedFile  # S3Storage's function contains the name of its file class
        return file

    def _save(self, name: str, content: Any) -> str:
        with self.bulkhead.visit(name) as visit:
            return str(super()._save(name, WatchedFile(content, visit)))

    def _get_write_parameters(self, name: str, content: Any = None) -> dict[str, Any]:
        parameters: dict[str, Any] = super()._get_write_parameters(name, content)
        parameters.pop("ContentEncoding", None)
        return parameters


class BoundedFile(S3File):
    """A file that is loaded completely before its first byte is returned, or not at all."""

    def _get_file(self) -> Any:
        if self._file is None and self._mode == "rb":
            limit = self._storage.max_memory_size
            loaded = tempfile.SpooledTemporaryFile(max_size=limit)  # noqa: SIM115 - closed as self
            with self._storage.bulkhead.visit(self.name) as visit:
                self.obj.download_fileobj(
                    loaded, Config=self._storage.transfer_config, Callback=visit.note
                )
            loaded.seek(0)
            self._file, self._closed = loaded, False
        return super()._get_file()

    file = property(_get_file, S3File._set_file)


class WatchedFile(File):
    """A file during its upload to the store."""

    def __init__(self, content: Any, visit: Visit) -> None:
        super().__init__(content.file)  # a nested File without a name counts as closed
        self._visit = visit

    def read(self, *size: int) -> Any:
        block = self.file.read(*size)
        self._visit.note(len(block))
        return block
