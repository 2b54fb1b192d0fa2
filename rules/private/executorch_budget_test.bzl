"""executorch_budget_test: compare the cost of a model with a budget file."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("//rules/private:arguments.bzl", "propagated_test_attrs", "require")
load("//rules/private:budget_rule.bzl", "budget_test", "budget_update")
load("//rules/private:executorch_cc_library.bzl", "executorch_cc_library")

def executorch_budget_test(name, model = None, budget = None, code = True, code_slack = 10, tags = [], **kwargs):
    """Tests that the cost of a model is within a budget file.

    If it is not, the test prints a table of the exceeded values. The file contains:

    - the size of the program, of its weights and of its code (`.text` of a binary with the runtime
      and the needed kernels);
    - for each method, its arena size, its instructions, and its operator calls outside delegates,
      in total and by operator.

    `bazel run <name>.update` creates and updates the file. The code size depends on the compiler
    and its flags, so it can exceed the budget by a few percent.

    Args:
      name: Name of the test.
      model: An `executorch_model` or `executorch_import`.
      budget: The budget file, in this package; `<name>.json` by default.
      code: Measure the code size.
      code_slack: Percentage by which the code size can exceed the budget.
      tags: Tags of the test.
      **kwargs: Attributes that every test has.
    """
    require("executorch_budget_test(name = '%s')" % name, "model", model, "the model to measure")
    file = budget or name + ".json"
    if ":" in file or file.startswith("/"):
        fail("executorch_budget_test(name = '%s'): 'budget' must be the name of a file in this package, got '%s'" % (name, file))
    path = (native.package_name() + "/" if native.package_name() else "") + file
    propagated = propagated_test_attrs(kwargs)
    common = dict(
        propagated,
        model = model,
        testonly = True,
    )
    if code:
        # Manual: only the test needs the target, so `//...` must not build it where the test is
        # filtered out.
        executorch_cc_library(
            name = name + "_lib",
            borrow = ["program", "weights"],
            linked_registry = True,
            tags = ["manual"] + tags,
            **common
        )
        cc_binary(
            name = name + "_program",
            linkstatic = True,
            tags = ["manual"] + tags,
            testonly = True,
            deps = [Label("//runtime/size:linked_main"), ":%s_lib" % name],
            **propagated
        )
        common["program"] = ":%s_program" % name

    # Manual, because users run it.
    budget_update(
        name = name + ".update",
        out = path,
        tags = ["manual"] + tags,
        **common
    )
    kwargs.pop("testonly", None)
    budget_test(
        name = name,
        # A missing budget file fails the test, not the build.
        budget = file if native.glob([file], allow_empty = True) else None,
        code_slack = code_slack,
        out = path,
        tags = tags,
        **dict(kwargs, **common)
    )
