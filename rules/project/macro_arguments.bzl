"""What macros outside of //rules check their arguments and name C symbols with."""

load("//rules/private:arguments.bzl", _require = "require")
load("//rules/private:c_names.bzl", _c_prefix = "c_prefix")

c_prefix = _c_prefix
require = _require
