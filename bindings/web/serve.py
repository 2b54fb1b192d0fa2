"""Serve the files of a folder on this machine: `python3 serve.py FOLDER [PORT]`.

The default port is 8000; 0 selects a free one. Only isolated pages can share memory with workers.
"""

import argparse
import http.server
import os

_TYPES = {".mjs": "text/javascript", ".wasm": "application/wasm"}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Adds the headers that a page with WebAssembly needs."""

    is_isolated = False

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return _TYPES.get(os.path.splitext(path)[1]) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header(
            "Content-Security-Policy", "default-src 'self' blob: data:; script-src 'self' 'wasm-unsafe-eval'"
        )
        if self.is_isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cross-origin-isolated", action="store_true", help="send the headers COOP and COEP")
    parser.add_argument("folder")
    parser.add_argument("port", type=int, nargs="?", default=8000)
    options = parser.parse_args()
    Handler.is_isolated = options.cross_origin_isolated
    os.chdir(options.folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler) as server:
        print(f"http://localhost:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
