"""Serve the documentation site: `bazel run //docs:serve -- --port 8000`."""

import argparse
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Serve the documentation site on this machine.")
    parser.add_argument("--port", type=int, default=8000, help="TCP port (default: 8000; 0: any free port)")
    parser.add_argument("--site", type=Path, default=Path("docs/site"), help="folder of the rendered site")
    options = parser.parse_args(arguments)
    handler = partial(SimpleHTTPRequestHandler, directory=str(options.site.absolute()))
    with ThreadingHTTPServer(("127.0.0.1", options.port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C stops)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
