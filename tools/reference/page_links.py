"""Links of generated pages."""

import re

_NAMED = re.compile(r"(?<!\]\()(?<![\w/])(?:docs/(?P<page>[\w/]+\.md)|kernels/README\.md)(?!\w)")


def linked(page: str) -> str:
    """Return a page of docs/reference/ with links for the pages that it names."""
    return _NAMED.sub(
        lambda match: f"[{match[0]}]({'../' + match['page'] if match['page'] else '../../' + match[0]})", page
    )
