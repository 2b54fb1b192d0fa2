"""A build setting for the runtime's error messages: texts or codes."""

_VALUES = ["texts", "codes"]

def _messages_flag_impl(ctx):
    if ctx.build_setting_value not in _VALUES:
        fail("%s: unknown value '%s'; use one of: %s" % (ctx.label, ctx.build_setting_value, ", ".join(_VALUES)))
    return []

messages_flag = rule(
    implementation = _messages_flag_impl,
    build_setting = config.string(flag = True),
    doc = "`texts`, or `codes`: source file, line and index.",
)
