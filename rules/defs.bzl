"""The public rules of rules_executorch."""

load("//rules:providers.bzl", _ExecutorchBackendInfo = "ExecutorchBackendInfo", _ExecutorchConfigInfo = "ExecutorchConfigInfo", _ExecutorchKernelsInfo = "ExecutorchKernelsInfo", _ExecutorchModelInfo = "ExecutorchModelInfo")
load("//rules/private:executorch_backend.bzl", _executorch_backend = "executorch_backend")
load("//rules/private:executorch_benchmark.bzl", _executorch_benchmark = "executorch_benchmark")
load("//rules/private:executorch_budget_test.bzl", _executorch_budget_test = "executorch_budget_test")
load("//rules/private:executorch_cc_library.bzl", _executorch_cc_library = "executorch_cc_library")
load("//rules/private:executorch_compat_test.bzl", _executorch_compat_test = "executorch_compat_test")
load("//rules/private:executorch_config.bzl", _executorch_config = "executorch_config")
load("//rules/private:executorch_diff.bzl", _executorch_diff = "executorch_diff")
load("//rules/private:executorch_import.bzl", _executorch_import = "executorch_import")
load("//rules/private:executorch_kernels.bzl", _executorch_kernels = "executorch_kernels")
load("//rules/private:executorch_model.bzl", _executorch_model = "executorch_model")
load("//rules/private:executorch_models.bzl", _executorch_models = "executorch_models")
load("//rules/private:executorch_object_library.bzl", _executorch_object_library = "executorch_object_library")
load("//rules/private:executorch_parity_test.bzl", _executorch_parity_test = "executorch_parity_test")
load("//rules/private:executorch_report.bzl", _executorch_report = "executorch_report")
load("//rules/private:executorch_shared_library.bzl", _executorch_shared_library = "executorch_shared_library")

# In its own file, each macro's rule has the macro's name, because Bazel names a rule's kind after
# the first global that the rule is assigned to.
executorch_backend = _executorch_backend
executorch_benchmark = _executorch_benchmark
executorch_budget_test = _executorch_budget_test
executorch_cc_library = _executorch_cc_library
executorch_compat_test = _executorch_compat_test
executorch_config = _executorch_config
executorch_diff = _executorch_diff
executorch_import = _executorch_import
executorch_kernels = _executorch_kernels
executorch_model = _executorch_model
executorch_models = _executorch_models
executorch_object_library = _executorch_object_library
executorch_parity_test = _executorch_parity_test
executorch_report = _executorch_report
executorch_shared_library = _executorch_shared_library

ExecutorchBackendInfo = _ExecutorchBackendInfo
ExecutorchConfigInfo = _ExecutorchConfigInfo
ExecutorchKernelsInfo = _ExecutorchKernelsInfo
ExecutorchModelInfo = _ExecutorchModelInfo
