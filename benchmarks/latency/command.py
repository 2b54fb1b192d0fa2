"""Run the requested command: measure, list ops, or count instructions."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import torch

from benchmarks.latency import instructions, plot, steps, table
from benchmarks.latency.catalog import MODELS
from benchmarks.latency.hold import Hold
from benchmarks.latency.machine import description, instruction_sets
from benchmarks.latency.measurement import measure
from benchmarks.latency.native import Library
from benchmarks.latency.options import parse
from benchmarks.latency.roster import ON_REQUEST, SIDES
from benchmarks.latency.sides.ours import Ours
from benchmarks.latency.sides.side import Missing, Setting


def run(arguments: list[str], library: Library, held: Hold) -> None:
    options = parse(arguments, list(MODELS), list(SIDES), instruction_sets())
    names = options.sides or [name for name in SIDES if name not in ON_REQUEST]
    setting = Setting(library, options.isa, options.threads, Path(os.environ["LATENCY_PROGRAMS"]), held.holds)
    torch.set_grad_enabled(False)
    if options.steps:
        _print_steps(options, names, setting)
    elif options.instructions:
        for model in options.models:
            print(instructions.text(MODELS[model], [SIDES[name] for name in names]), flush=True)
    else:
        _measure(options, names, setting, held.note)


def _print_steps(options: argparse.Namespace, names: list[str], setting: Setting) -> None:
    ours = [SIDES[name] for name in names]
    for model in options.models:
        for side in ours:
            if isinstance(side, Ours) and side.takes(MODELS[model]):
                print(_steps(side, model, options, setting), flush=True)


def _steps(side: Ours, model: str, options: argparse.Namespace, setting: Setting) -> str:
    try:
        return steps.text(side, MODELS[model], setting, options.steps, options.rounds)
    except Missing as reason:
        return f"{model}, {side.name}: skipped: {reason}"


def _measure(options: argparse.Namespace, names: list[str], setting: Setting, note: str) -> None:
    document: dict[str, Any] = {**description(), "threads": options.threads, "isa": options.isa, "held": note}
    document |= {"unit": setting.library.unit, "models": []}
    print(f"{document['date']}, {document['processor']}, load {document['load_average']:.1f}; {note}", flush=True)
    for model in options.models:
        found = measure(MODELS[model], [SIDES[name] for name in names], setting, options.rounds)
        print(table.text(found, setting.library.unit, options.threads), flush=True)
        document["models"].append(table.record(found, options.threads))
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    if options.plot:
        _draw(document, options.plot)


def _draw(document: dict[str, Any], path: Path) -> None:
    title = f"{document['processor']}, {document['isa']}, {document['threads']} thread(s), {document['date']}"
    try:
        plot.draw(document["models"], title, path)
    except Missing as reason:
        print(f"no plot: {reason}")
