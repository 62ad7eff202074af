"""What a wheel contains. Everything else is in pyproject.toml.

`templates`, `static` and `docs` are at the top of the repository, and in `trackside/files` of a
wheel, where `trackside/folders.py` finds them.
"""

import os

from setuptools import Extension, find_namespace_packages, setup

FILES = ("templates", "static", "docs")

# Optional: without a C compiler the installation succeeds, and Python does the same work. They use
# the stable ABI, so one wheel of a platform serves every Python from 3.11.
EXTENSIONS = [
    Extension(
        name,
        [f"{name.replace('.', '/')}.c"],
        define_macros=[("Py_LIMITED_API", "0x030b0000")],
        py_limited_api=True,
        optional=True,
    )
    for name in ("campaigns.trec._scan", "scoring.core.data._align")
]

setup(
    packages=[
        *find_namespace_packages(include=["campaigns*", "scoring*", "trackside*"]),
        *(
            f"trackside.files.{package}"
            for package in find_namespace_packages(include=[f"{name}*" for name in FILES])
        ),
    ],
    package_dir={f"trackside.files.{name}": name for name in FILES},
    # PURE=1 builds a wheel for every platform.
    ext_modules=[] if os.environ.get("PURE") else EXTENSIONS,
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
