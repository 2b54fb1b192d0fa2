"""Quantization recipes for exported programs and modules.

Recipes for programs use torchao's PT2E flow. This module imports torchao only when a function needs it.
"""

from exir.quantize.options import OPTION_TYPES, QuantizationOptions
from exir.quantize.outputs import Steps, output_steps
from exir.quantize.program import Quantized, is_quantized, quantize_program
from exir.quantize.recipes import RECIPES, Recipe
from exir.quantize.report import Decision, notes_on
from exir.quantize.weights import decisions_of, quantize_weights

__all__ = [
    "OPTION_TYPES",
    "RECIPES",
    "Decision",
    "QuantizationOptions",
    "Quantized",
    "Recipe",
    "Steps",
    "decisions_of",
    "is_quantized",
    "notes_on",
    "output_steps",
    "quantize_program",
    "quantize_weights",
]
