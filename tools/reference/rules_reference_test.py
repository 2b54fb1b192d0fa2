"""Tests that the page matches the .bzl files; macros list inherited attributes."""

import sys
from pathlib import Path

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(_ROOT / "tools/reference"))

from rules_reference import page
from starlark import Provider, Rule, Workspace

_RULE = '''
load("@elsewhere//:defs.bzl", "ElsewhereInfo")
load("//rules/private:kinds.bzl", "KIND", depth = "DEPTH")

WrittenInfo = provider(doc = "What was written.", fields = {"text": "string: a | b."})

def _impl(ctx):
    fail("never called")

written_rule = rule(
    implementation = _impl,
    attrs = {
        "kind": attr.string(default = KIND, doc = "Which."),
        "depth": attr.int(default = depth),
        "src": attr.label(mandatory = True, providers = [ElsewhereInfo], doc = "From where."),
        "kinds": attr.string_list(doc = "Set by the macro."),
        "_tool": attr.label(default = Label("//:tool")),
    },
    doc = "Writes.",
)

def written(name, kind = "plain", text = None, times = 0, **kwargs):
    """Writes; see the rule.

    Args:
      name: its name.
      kind: the kind, of several, among which
        this one: that.
      text: what to write.
      times: how often.
      **kwargs: the rest.
    """
    require("written", "text", text, "a text")
    written_rule(name = name, kind = kind, kinds = [kind], **kwargs)

def alone(name, **kwargs):
    """Has no rule.

    Args:
      name: its name.
      **kwargs: what files take.
    """
'''

_EXTENSION = """
_named = tag_class(attrs = {"name": attr.string(mandatory = True, doc = "Its name.")}, doc = "Names one.")
extension = module_extension(implementation = None, tag_classes = {"named": _named})
"""


def _workspace(root: Path) -> Path:
    (root / "rules/private").mkdir(parents=True)
    (root / "rules/private/kinds.bzl").write_text('KIND = "x"\nDEPTH = 2\n')
    (root / "rules/defs.bzl").write_text(_RULE)
    (root / "rules/aspects.bzl").write_text('gathers = aspect(doc = "Gathers.", attr_aspects = ["*"])\n')
    (root / "rules/toolchain.bzl").write_text('"""Nothing."""\n')
    (root / "rules/repositories.bzl").write_text('load(":defs.bzl", _w = "written")\n_hidden = _w\n')
    (root / "rules/extensions.bzl").write_text(_EXTENSION)
    for folder in ("llm", "text"):
        (root / folder).mkdir()
        (root / folder / "defs.bzl").write_text('"""Nothing."""\n')
    for language in ("java", "rust", "web"):
        (root / "bindings" / language).mkdir(parents=True)
        (root / "bindings" / language / "defs.bzl").write_text('"""Nothing."""\n')
    return root


def test_rules_reference_is_up_to_date() -> None:
    text = (_ROOT / "docs/reference/rules.md").read_text()
    assert text == page(_ROOT), "run python3 tools/reference/rules_reference.py"


def test_starlark_files_are_evaluated(tmp_path: Path) -> None:
    names = Workspace(_workspace(tmp_path)).names_of("rules/defs.bzl")
    rule, provider = names["written_rule"], names["WrittenInfo"]
    assert isinstance(rule, Rule)
    assert (rule.doc, rule.attributes["kind"].default, rule.attributes["depth"].default) == ("Writes.", "x", 2)
    assert provider == Provider("What was written.", {"text": "string: a | b."})


def test_macro_lists_its_arguments_and_rule_attributes(tmp_path: Path) -> None:
    text = page(_workspace(tmp_path))
    entry = text[text.index("### written\n") : text.index("### alone")]
    assert entry.splitlines() == [
        "### written",
        "",
        "Writes.",
        "",
        "| Attribute | Type | Default | Meaning |",
        "| --- | --- | --- | --- |",
        "| `name` |  | mandatory | its name. |",
        '| `kind` | string | `"plain"` | the kind, of several, among which this one: that. |',
        "| `text` |  | mandatory | what to write. |",
        "| `times` |  | `0` | how often. |",
        "| `depth` | int | `2` |  |",
        "| `src` | label | mandatory | From where. |",
        "",
    ]


def test_macro_without_a_rule_lists_forwarded_arguments(tmp_path: Path) -> None:
    text = page(_workspace(tmp_path))
    entry = text[text.index("### alone\n") : text.index("## Aspects")]
    assert "| … | | | what files take. |" in entry


def test_tag_class_lists_its_attributes(tmp_path: Path) -> None:
    text = page(_workspace(tmp_path))
    assert "### extension.named\n\nNames one.\n" in text
    assert "| `name` | string | mandatory | Its name. |" in text


def test_aspect_has_its_documentation(tmp_path: Path) -> None:
    assert "### gathers\n\nGathers.\n" in page(_workspace(tmp_path))


def test_provider_fields_are_table_cells(tmp_path: Path) -> None:
    assert "| `text` | string: a \\| b. |" in page(_workspace(tmp_path))


def test_loaded_symbol_is_not_an_entry(tmp_path: Path) -> None:
    text = page(_workspace(tmp_path))
    assert "_hidden" not in text[text.index("## Repositories") :]
