"""Sphinx's configuration for the documentation site."""

from pathlib import Path

project = "rules_executorch"
author = "the rules_executorch authors"
extensions = ["myst_parser", "sphinx_copybutton"]

# Generate the same heading anchors as GitHub, so that links work in both places.
myst_heading_anchors = 5
# Code blocks may contain an ellipsis, which lexers reject; this is not an error.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "rules_executorch"
html_favicon = "images/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
html_static_path = ["_static"]
html_css_files = ["site.css"]
# Sphinx opens this file relative to the working directory.
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5fa8", "color-brand-content": "#1d5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7db4f0", "color-brand-content": "#7db4f0"},
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
copybutton_prompt_text = "$ "
