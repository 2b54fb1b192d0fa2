"""`java_library`, `java_import`, `java_binary` and `java_test` for machines that cannot reach the central registry.

They have the attributes of rules_java that this repository uses, and run the machine's javac.
"""

load("//java/private:system_jdk.bzl", "JdkInfo")

_JarsInfo = provider(
    doc = "A Java library.",
    fields = {
        "compile": "depset[File]: jars to compile against: its own, and those of `exports`.",
        "runtime": "depset[File]: all jars at run time.",
    },
)

_ATTRS = {
    "data": attr.label_list(
        allow_files = True,
        doc = "Runfiles.",
    ),
    "deps": attr.label_list(
        providers = [_JarsInfo],
        doc = "Libraries that the sources use.",
    ),
    "javacopts": attr.string_list(doc = "Flags of the compiler."),
    "resources": attr.label_list(
        allow_files = True,
        doc = "Resources, at the path in their package.",
    ),
    "runtime_deps": attr.label_list(
        providers = [_JarsInfo],
        doc = "Libraries that are only needed at run time.",
    ),
    "srcs": attr.label_list(
        allow_files = [".java", ".srcjar"],
        doc = "Sources.",
    ),
    "_jdk": attr.label(
        default = "@local_jdk//:jdk",
        providers = [JdkInfo],
    ),
}

# The sources, then the resources with their paths, are the arguments after the class path and the flags.
_COMPILE = """\
set -eu
export PATH="$1/bin:/usr/bin:/bin"; out=$PWD/$2; class_path=$3; shift 3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/classes" "$work/sources"; touch "$work/flags"
for argument in "$@"; do
  case $argument in
  *.srcjar) (archive=$PWD/$argument; cd "$work/sources"; jar xf "$archive") ;;
  resource:*) path=${argument#resource:}; mkdir -p "$work/classes/$(dirname "${path#*=}")"
    cp "${path%%=*}" "$work/classes/${path#*=}" ;;
  *.java) echo "$argument" >>"$work/flags" ;;
  *) echo "\\"$argument\\"" >>"$work/flags" ;;
  esac
done
find "$work/sources" -name '*.java' | sort >>"$work/flags"
if grep -q '[.]java$' "$work/flags"; then
  javac -encoding UTF-8 -proc:none -d "$work/classes" -classpath "$class_path" "@$work/flags"
fi
date=
if jar --help | grep -q -e --date; then date=--date=2010-01-01T00:00:00Z; fi
(cd "$work/classes"; find . -type f | sort >"$work/files"; if [ -s "$work/files" ]; then
  jar --create --file "$out" --no-manifest $date "@$work/files"; else
  echo "Manifest-Version: 1.0" >"$work/manifest"; jar --create --file "$out" --manifest "$work/manifest" $date; fi)
"""

def _compile(ctx):
    """Registers the compilation; returns the _JarsInfo of the target without exports."""
    jar = ctx.actions.declare_file("lib%s.jar" % ctx.label.name)
    home = ctx.attr._jdk[JdkInfo].home
    if not home:
        fail("%s: this machine has no JDK; install one (Debian: apt-get install openjdk-17-jdk-headless), or set JAVA_HOME" % ctx.label)
    deps = depset(transitive = [dep[_JarsInfo].compile for dep in ctx.attr.deps])
    args = ctx.actions.args()
    args.add(home)
    args.add(jar)
    args.add_joined(deps, join_with = ":", omit_if_empty = False)
    args.add_all(ctx.attr.javacopts)
    args.add_all(ctx.files.srcs)
    for file in ctx.files.resources:
        args.add("resource:%s=%s" % (file.path, file.short_path[len(ctx.label.package) + 1:] if ctx.label.package else file.short_path))
    ctx.actions.run_shell(
        command = _COMPILE,
        arguments = [args],
        inputs = depset(ctx.files.srcs + ctx.files.resources, transitive = [deps]),
        outputs = [jar],
        mnemonic = "Javac",
        progress_message = "Compiling Java for %s" % ctx.label,
    )
    libraries = ctx.attr.deps + ctx.attr.runtime_deps + getattr(ctx.attr, "exports", [])
    return jar, depset([jar], transitive = [library[_JarsInfo].runtime for library in libraries])

def _runfiles(ctx, targets, files = []):
    runfiles = ctx.runfiles(files = files + ctx.files.data)
    for target in targets:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return runfiles

def _library_impl(ctx):
    jar, runtime = _compile(ctx)
    return [
        DefaultInfo(files = depset([jar]), runfiles = _runfiles(ctx, ctx.attr.deps + ctx.attr.runtime_deps + ctx.attr.exports + ctx.attr.data)),
        _JarsInfo(
            compile = depset([jar], transitive = [target[_JarsInfo].compile for target in ctx.attr.exports]),
            runtime = depset() if ctx.attr.neverlink else runtime,
        ),
    ]

java_library = rule(
    implementation = _library_impl,
    attrs = dict(
        _ATTRS,
        exports = attr.label_list(
            providers = [_JarsInfo],
            doc = "Libraries that users of this one can use.",
        ),
        neverlink = attr.bool(doc = "Whether programs do not contain the library."),
    ),
    doc = "A Java library.",
    provides = [_JarsInfo],
)

def _import_impl(ctx):
    jars = depset(ctx.files.jars)
    return [DefaultInfo(files = jars), _JarsInfo(compile = jars, runtime = jars)]

java_import = rule(
    implementation = _import_impl,
    attrs = {
        "jars": attr.label_list(
            allow_files = [".jar"],
            doc = "Jars.",
        ),
    },
    doc = "Jars as a Java library.",
    provides = [_JarsInfo],
)

# `bazel run` starts programs in their runfiles; tests have TEST_SRCDIR.
_LAUNCHER = """\
#!/bin/sh
runfiles=${{RUNFILES_DIR:-${{TEST_SRCDIR:-$0.runfiles}}}}
class_path=
for jar in {jars}; do class_path=$class_path:$runfiles/$jar; done
exec "${{JAVABIN:-{java}}}" -classpath "${{class_path#:}}" {flags} {main} "$@"
"""

def _runfiles_path(ctx, file):
    path = file.short_path
    return path[len("../"):] if path.startswith("../") else ctx.workspace_name + "/" + path

def _program_impl(ctx):
    _, jars = _compile(ctx)
    launcher = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(launcher, _LAUNCHER.format(
        flags = " ".join(["'%s'" % ctx.expand_location(flag, ctx.attr.data) for flag in ctx.attr.jvm_flags]),
        jars = " ".join([_runfiles_path(ctx, jar) for jar in jars.to_list()]),
        java = ctx.attr._jdk[JdkInfo].home + "/bin/java",
        main = ctx.attr.main_class,
    ), is_executable = True)
    return [DefaultInfo(
        executable = launcher,
        runfiles = _runfiles(ctx, ctx.attr.deps + ctx.attr.runtime_deps + ctx.attr.data, jars.to_list()),
    )]

_PROGRAM_ATTRS = dict(
    _ATTRS,
    jvm_flags = attr.string_list(doc = "Flags of the Java virtual machine."),
    main_class = attr.string(
        mandatory = True,
        doc = "Name of the class with `main`.",
    ),
)

java_binary = rule(
    implementation = _program_impl,
    attrs = _PROGRAM_ATTRS,
    doc = "A Java program.",
    executable = True,
)

def _test_impl(ctx):
    env = {name: ctx.expand_location(value, ctx.attr.data) for name, value in ctx.attr.env.items()}
    return _program_impl(ctx) + [testing.TestEnvironment(env)]

java_test = rule(
    implementation = _test_impl,
    attrs = dict(
        _PROGRAM_ATTRS,
        env = attr.string_dict(doc = "Environment of the test."),
        use_testrunner = attr.bool(doc = "Must be False: `main` is the test."),
    ),
    doc = "A Java program that fails if the test does.",
    test = True,
)
