"""Argument checks and C names for macros outside //rules."""

load("//rules/private:arguments.bzl", _require = "require")  # buildifier: disable=bzl-visibility
load("//rules/private:c_names.bzl", _c_prefix = "c_prefix")  # buildifier: disable=bzl-visibility

c_prefix = _c_prefix
require = _require
