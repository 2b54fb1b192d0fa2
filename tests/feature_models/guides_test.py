"""Tests that docs/how_to shows the same models and C code as the tests run."""

from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("page", "file", "mark", "end"),
    [
        ("control_flow.md", "control_flow.py", "# {}\n", "\n\n"),
        ("use_dynamic_inputs.md", "recurrent.py", "# {}\n", "\n\n"),
        ("random_numbers.md", "random_sampling.py", "# {}\n", "\n\n"),
        ("random_numbers.md", "random_sampling_app.h", "/* {} */\n", "\n"),
        ("use_from_c.md", "running_mean.py", "# {}\n", "\n\n"),
        ("use_from_c.md", "running_mean_app.c", "/* {} */\n", "\n"),
    ],
)
def test_guide_shows_the_tested_source(page: str, file: str, mark: str, end: str) -> None:
    text = Path("docs/how_to", page).read_text(encoding="utf-8")
    source = Path("tests/feature_models", file).read_text(encoding="utf-8")
    shown = text.split(mark.format(f"tests/feature_models/{file}"), 1)[1].split("```", 1)[0]
    assert shown == source.split(end, 1)[1]


def test_guide_shows_the_tested_targets() -> None:
    text = Path("docs/how_to/use_from_c.md").read_text(encoding="utf-8")
    shown = text.split("# tests/feature_models/BUILD.bazel\n", 1)[1].split("```", 1)[0]
    models = shown[shown.index("executorch_model(") :]
    assert models in Path("tests/feature_models/BUILD.bazel").read_text(encoding="utf-8")
