"""Render the documentation site with Sphinx.

    python -m tools.docs_site.build --out FOLDER FILE...

The output depends only on the files: Sphinx reads no clock, and nothing is downloaded.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.docs_site.staging import stage

# The first second of 1980, the earliest time that a zip archive can store.
_EPOCH = "315532800"
# Sphinx's state for incremental builds, which Bazel does not use.
_RECORDS = (".buildinfo", ".doctrees")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Render the documentation site with Sphinx.")
    parser.add_argument("--out", required=True, type=Path, help="folder for the site")
    parser.add_argument("--source-url", default="", help="address of the repository's files")
    parser.add_argument("files", nargs="+", help="pages and images, by path from the repository's root")
    options = parser.parse_args(arguments)
    return build(Path.cwd(), options.files, options.source_url, options.out.absolute())


def build(root: Path, files: Sequence[str], source_url: str, out: Path) -> int:
    """Render `files` below `root` to `out`, and return 0 if Sphinx has no warning."""
    from sphinx.cmd.build import build_main  # type: ignore[import-not-found]

    os.environ["SOURCE_DATE_EPOCH"] = _EPOCH
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as temporary:
        source, records = Path(temporary, "source"), Path(temporary, "records")
        stage(root, files, source_url, source)
        (source / "_static").mkdir()
        for name in ("conf.py", "search_scorer.js"):
            shutil.copyfile(here / name, source / name)
        shutil.copyfile(here / "site.css", source / "_static/site.css")
        flags = ["-q", "-E", "-W", "--keep-going", "-b", "html", "-d", str(records)]
        status = build_main([*flags, str(source), str(out)])
    for name in _RECORDS:
        shutil.rmtree(out / name) if (out / name).is_dir() else (out / name).unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
