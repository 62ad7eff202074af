"""The download of a run's file."""

from django.http import FileResponse, Http404

from campaigns import access
from campaigns.models import Run
from campaigns.stored_files import open_stored
from campaigns.trec.compression import GZIP_MAGIC


def file_response(viewer: access.Viewer, run: Run) -> FileResponse:
    if not viewer.can_download(run) or not run.storage_key:
        raise Http404
    file = open_stored(run.storage_key, run.digest)
    # By its content, because the name of an uploaded file may lack .gz.
    is_gzipped = file.read(2) == GZIP_MAGIC
    file.seek(0)
    return FileResponse(
        file,
        as_attachment=True,  # a submitted file is never rendered as a page
        filename=f"{run.public_id}.txt{'.gz' if is_gzipped else ''}",
        content_type="application/gzip" if is_gzipped else "text/plain; charset=utf-8",
    )
