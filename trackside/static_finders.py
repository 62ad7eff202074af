"""Finds the script that draws charts, which is in no folder of static files."""

from collections.abc import Iterator
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

from trackside.plotly_script import NAME, script


class PlotlyFinder(BaseFinder):
    """Serves `plotly/plotly.min.js`. The rest of Plotly's package is not served."""

    served = f"plotly/{NAME}"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.storage = FileSystemStorage(location=script().parent)
        self.storage.prefix = "plotly"  # read by collectstatic
        super().__init__(*args, **kwargs)

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> str | list[str]:
        if path != self.served:
            return []
        found = self.storage.path(NAME)
        return [found] if find_all else found

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        yield NAME, self.storage
