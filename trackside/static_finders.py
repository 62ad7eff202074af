"""Finds the one file of Plotly's package that pages need. The rest of the package is not served."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage


class PlotlyFinder(BaseFinder):
    """Serves `plotly/plotly.min.js` from the installed package."""

    served = "plotly/plotly.min.js"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        package = Path(str(files("plotly"))) / "package_data"
        self.storage = FileSystemStorage(location=package)
        self.storage.prefix = "plotly"  # read by collectstatic
        super().__init__(*args, **kwargs)

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> str | list[str]:
        if path != self.served:
            return []
        found = self.storage.path("plotly.min.js")
        return [found] if find_all else found

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        yield "plotly.min.js", self.storage
