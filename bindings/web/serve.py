"""Serve the files of a folder on this machine: `python3 serve.py FOLDER [PORT]`.

The default port is 8000; 0 selects a free one.
"""

import http.server
import os
import sys

_TYPES = {".mjs": "text/javascript", ".wasm": "application/wasm"}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Adds the headers that a page with WebAssembly needs."""

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return _TYPES.get(os.path.splitext(path)[1]) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header(
            "Content-Security-Policy", "default-src 'self' blob: data:; script-src 'self' 'wasm-unsafe-eval'"
        )
        super().end_headers()


def main() -> None:
    os.chdir(sys.argv[1])
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8000
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"http://localhost:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
