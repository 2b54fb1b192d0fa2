"""Checks of compiler options in BUILD files, at load time."""

# Keys of each section, and their types. exir/cli/config.py checks TOML files against the same
# table.
CONFIG_SECTIONS = {
    "edge": {
        "check_ir_validity": "bool",
        "skip_dim_order": "bool",
        "core_aten_ops_exception_list": "list",
        "preserve_ops": "list",
        "preserve_sdpa": "bool",
        "fuse_low_bit_linear": "bool",
        "pipeline": "string",
    },
    "executorch": {
        "emit_stacktrace": "bool",
        "extract_delegate_segments": "bool",
        "segment_alignment": "int",
        "constant_tensor_alignment": "int",
        "delegate_alignment": "int",
        "remove_view_copy": "bool",
        "fuse_int8": "bool",
        "row_major_operands": "bool",
        "emit_mutable_buffer_names": "bool",
    },
    "memory_planning": {
        "alloc_graph_input": "bool",
        "alloc_graph_output": "bool",
        "share_mutable_buffers": "bool",
        "alignment": "int",
    },
    "passes": {
        "edge": "list",
        "executorch": "list",
    },
    "quantization": {
        "recipe": "string",
        "exclude": "list",
        "group_size": "int",
        "observer": "string",
        "calibration_batches": "int",
        "quantize_inputs": "bool",
        "quantize_outputs": "bool",
    },
}

# Sections whose keys are defined by the user or by a backend.
CONFIG_OPEN_SECTIONS = ["backends", "shapes", "target"]

def _check_table(where, value, keys = None):
    if type(value) != "dict":
        known = "; its keys are: %s" % ", ".join(keys) if keys else ""
        fail("%s must be a dict, got %r%s" % (where, value, known))

def _check_section(where, keys, section):
    for key, value in section.items():
        if key not in keys:
            fail("%s: unknown key '%s'; valid keys: %s" % (where, key, ", ".join(keys.keys())))
        if type(value) != keys[key]:
            fail("%s: '%s' must be of type %s, got %r" % (where, key, keys[key], value))

def check_config(where, options):
    """Fails for options that the compiler does not have.

    Args:
      where: the call, for messages: "executorch_model(name = 'net')".
      options: dict of sections.
    """
    for name, section in options.items():
        section_where = "%s: section '%s'" % (where, name)
        if name in CONFIG_SECTIONS:
            _check_table(section_where, section, CONFIG_SECTIONS[name].keys())
            _check_section(section_where, CONFIG_SECTIONS[name], section)
        elif name in CONFIG_OPEN_SECTIONS:
            _check_table(section_where, section)
        else:
            valid_names = CONFIG_SECTIONS.keys() + CONFIG_OPEN_SECTIONS
            fail("%s: unknown section '%s'; valid sections: %s" % (where, name, ", ".join(valid_names)))
