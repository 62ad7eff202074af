"""What `trackside --version` prints: the version, and which optional parts are at work."""

from importlib.metadata import PackageNotFoundError, version

from campaigns.trec import compiled as reading
from campaigns.trec.compression import inflating_library
from scoring.core.data import compiled as aligning


def version_lines() -> list[str]:
    """The version first, then a line for each part that has a faster and a slower form."""
    try:
        number = version("trackside")
    except PackageNotFoundError:
        number = "(not installed: run from its source)"
    is_compiled = reading.scan is not None and aligning.align is not None
    return [
        f"trackside {number}",
        f"gzip: {inflating_library()}",
        f"runs: {'compiled reader' if is_compiled else 'Python'}",
    ]
