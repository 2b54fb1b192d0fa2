"""Running a Python module of the toolchain in an action."""

# Everything that could make Python's or torch's behaviour depend on the machine is fixed here.
_ENV = {
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    # The execution root is not on the path: files of the user's workspace must not shadow the standard library.
    "PYTHONSAFEPATH": "1",
    "TZ": "UTC",
}

# Told by feature: Debian's builds do not know their version.
_IS_BAZEL_4 = not hasattr(native, "package_relative_label")

def use_params_file(arguments):
    """Lets a program read `arguments` from a file, which is its one argument then.

    Args:
      arguments: Args.
    """
    arguments.use_param_file("@%s", use_always = True)
    arguments.set_param_file_format("multiline")

def _run_python(ctx, toolchain, sources, path, arguments, inputs, mnemonic, message, programs = [], **kwargs):
    """Registers an action. What restarts a worker when it changes are tools: interpreter and sources (see compiler_sources).

    The folders of the packages and of the standard library are inputs and not among them: Bazel cannot digest a folder there unless a
    start-up flag tells it to. The environment's identity stands for them.
    """

    # Bazel 4 has no such argument.
    named = {} if _IS_BAZEL_4 else {"toolchain": toolchain.toolchain_type}
    ctx.actions.run(
        executable = toolchain.python,
        inputs = depset(toolchain.library, transitive = [inputs]),
        arguments = arguments,
        tools = depset(
            [toolchain.python, toolchain.identity],
            transitive = [toolchain.python_files, sources.files],
        ).to_list() + ([sources.program] if _IS_BAZEL_4 else []) + programs,
        # Relative to the execution root.
        env = dict(_ENV, PYTHONPATH = ":".join(path)),
        mnemonic = mnemonic,
        progress_message = message,
        **dict(kwargs, **named)
    )

def run_compiler(ctx, toolchain, arguments, inputs, programs, outputs, mnemonic, message, requirements, resources, module = None):
    """Registers an action that runs the compiler.

    User code runs in it: besides what the user gives, the standard library and the locked packages, it can import `exir` alone.

    Args:
      ctx: the rule's context.
      toolchain: the executorch toolchain.
      arguments: Args: the compiler's flags.
      inputs: depset[File].
      programs: list[FilesToRunProvider]: what user code runs.
      outputs: list[File].
      mnemonic: CamelCase name of the action.
      message: progress message.
      requirements: execution requirements.
      resources: function of `resource_set` that says what it takes of the machine.
      module: dotted name of another program of the compiler, to run instead.
    """
    use_params_file(arguments)

    # Bazel 4 has it behind a flag.
    counted = {} if _IS_BAZEL_4 else {"resource_set": resources}
    _run_python(
        ctx,
        toolchain,
        toolchain.compiler,
        path = [toolchain.site.path],
        programs = programs,
        arguments = [toolchain.compiler_main.path] + (["-m", module] if module else []) + [arguments],
        inputs = depset([toolchain.site], transitive = [inputs]),
        outputs = outputs,
        mnemonic = mnemonic,
        message = message,
        execution_requirements = requirements,
        **counted
    )

def run_module(ctx, toolchain, sources, module, arguments, inputs, outputs, mnemonic, message, packages = [], programs = []):
    """Registers an action that runs a module of the generators, or of this repository.

    Args:
      ctx: the rule's context.
      toolchain: that with the interpreter.
      sources: `generators` of the toolchain for code generation.
      module: dotted name of the module.
      arguments: Args.
      inputs: depset[File].
      outputs: list[File].
      mnemonic: CamelCase name of the action.
      message: progress message.
      packages: list[File]: folders of packages that it needs besides the standard library.
      programs: list[FilesToRunProvider]: what it runs.
    """
    _run_python(
        ctx,
        toolchain,
        sources,
        programs = programs,
        path = [sources.root] + [site.path for site in packages],
        arguments = ["-m", module, arguments],
        inputs = depset(packages, transitive = [inputs]),
        outputs = outputs,
        mnemonic = mnemonic,
        message = message,
    )
