"""The public aspects of rules_executorch."""

load("//rules/private:model_pages.bzl", _executorch_report_aspect = "executorch_report_aspect")

executorch_report_aspect = _executorch_report_aspect
