"""A remote cache for a test: nginx serves a folder, and stores uploads."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.many_machines.network import free_port
from tests.many_machines.programs import server_program
from tests.outside_workspace.scratch_workspace import shown_files

_SECONDS_TO_START = 20

# One process, with the test's own folders.
_CONFIGURATION = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {server}
}}
"""


def _server(folder: Path, port: int) -> str:
    """Return the configuration that the page shows, with another port and folder."""
    shown = dict(shown_files("docs/how_to/remote_builds.md"))["/etc/nginx/conf.d/bazel-cache.conf"]
    for text, own in (("listen 8099;", f"listen 127.0.0.1:{port};"), ("/var/cache/bazel;", f"{folder}/cache;")):
        assert text in shown
        shown = shown.replace(text, own)
    return shown


@contextlib.contextmanager
def web_cache(folder: Path, inside: Sequence[str] = ()) -> Iterator[str]:
    """Run the cache, and yield its address; `folder` stores its data.

    `inside` is a command prefix that runs the cache in another environment.
    """
    port = free_port()
    (folder / "cache").mkdir(parents=True, exist_ok=True)
    configuration = folder / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder, server=_server(folder, port)), encoding="utf-8")
    command = [*inside, server_program("usr/sbin/nginx"), "-c", str(configuration), "-e", f"{folder}/error.log"]
    with subprocess.Popen(command) as server:
        try:
            _wait_for(folder / "nginx.pid", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _wait_for(file: Path, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server has written its process id and accepts connections."""
    last = time.monotonic() + _SECONDS_TO_START
    while not file.exists():
        assert server.poll() is None and time.monotonic() < last, "nginx does not start"
        time.sleep(0.1)
