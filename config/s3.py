"""Files in an S3 store, as they are: a gzipped run is kept and given back gzipped."""

from errno import EIO
from typing import Any

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

ONE_REQUEST = 4 << 30  # bytes; more than any upload has, and less than a store takes at once
IN_MEMORY = 4 << 20  # bytes of a file that is read; of a larger one all lies on disk


class PlainS3Storage(S3Storage):
    """Without guesses by name or content: S3Storage marks what looks gzipped as Content-Encoding
    gzip, and clients on the way then unpack what was never packed for the way."""

    def get_default_settings(self) -> dict[str, Any]:
        """On the thread that asks: for files as small as runs, starting threads takes longer than
        they save."""
        defaults: dict[str, Any] = super().get_default_settings()
        return defaults | {
            # In one request: of a file in parts each part would be loaded first.
            "transfer_config": TransferConfig(use_threads=False, multipart_threshold=ONE_REQUEST),
            "max_memory_size": IN_MEMORY,  # without it all of every file
        }

    def get_object_parameters(self, name: str) -> dict[str, Any]:
        return super().get_object_parameters(name) | {"ContentType": "application/octet-stream"}

    def _save(self, name: str, content: Any) -> str:
        """As a folder would say it: raises OSError where the store does not take the file."""
        try:
            return super()._save(name, content)
        except (Boto3Error, BotoCoreError, ClientError) as error:
            raise OSError(EIO, f"the store did not take {name}: {error}") from error

    def _get_write_parameters(self, name: str, content: Any = None) -> dict[str, Any]:
        parameters = super()._get_write_parameters(name, content)
        parameters.pop("ContentEncoding", None)
        return parameters
