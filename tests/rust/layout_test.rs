//! Compares the structs and constants of the crate with those of the C headers (layout.c).

use std::mem::{size_of, MaybeUninit};
use std::ptr::addr_of;

use executorch::sys::*;

extern "C" {
    static layout_values: [usize; 0];
    static layout_count: usize;
}

macro_rules! layout {
    ($values:ident: $($name:ident { $($member:ident),* })*) => {
        $(
            $values.push((stringify!($name).to_string(), size_of::<$name>()));
            let object = MaybeUninit::<$name>::uninit();
            let start = object.as_ptr();
            $(
                // SAFETY: the address of a member is computed without reading it.
                let offset = unsafe { addr_of!((*start).$member) as usize - start as usize };
                $values.push((format!("{}.{}", stringify!($name), stringify!($member)), offset));
            )*
        )*
    };
}

#[test]
fn layout_is_that_of_c() {
    let mut values: Vec<(String, usize)> = Vec::new();
    layout! {
        values:
        et_span { data, size }
        et_mutable_span { data, size }
        et_string { data, size }
        et_error { status, message }
        et_extent { offset, bytes }
        et_data_source { name, size, extents, extent_count, read, context }
        et_program { file, flatbuffer, sources, source_count, reading, external, segments_offset, segments_size, root }
        et_method_meta { program, plan }
        et_value_meta { tag, dtype, rank, dynamism, sizes, dim_order, nbytes, is_planned, min_sizes, size_steps, min, max, step }
        et_random { state }
        et_event { kind, index, name, args, arg_count }
        et_observer { context, begin, end, by }
        et_backend_option { key, value }
        et_backend_options { id, options, count }
        et_method_options { parallel, observer, backend_options, backend_options_count, store, data, max_steps, random }
        et_method_requirements { method_bytes, scratch_bytes, shared_bytes, data_bytes, planned_count }
        et_planned_buffer { bytes, state, sharing }
        et_hosted_method { method, requirements, planned_bytes, planned, data, allocation }
        et_tensor { data, capacity, sizes, strides, dim_order, numel, dtype, rank, dynamism, is_constant }
        et_value { tag, u }
    }
    for (name, value) in [
        ("ET_MAX_RANK", ET_MAX_RANK),
        ("ET_MAX_PLANNED_BUFFERS", ET_MAX_PLANNED_BUFFERS),
        ("ET_ERROR_MESSAGE_BYTES", ET_ERROR_MESSAGE_BYTES),
        ("et_status", size_of::<et_enum>()),
        ("et_value_tag", size_of::<et_enum>()),
        ("et_scalar_type", size_of::<et_enum>()),
        ("ET_STATUS_OK", ET_STATUS_OK as usize),
        ("ET_VALUE_INT", ET_VALUE_INT as usize),
        ("ET_VALUE_BOOL", ET_VALUE_BOOL as usize),
        ("ET_VALUE_DOUBLE", ET_VALUE_DOUBLE as usize),
        ("ET_VALUE_TENSOR", ET_VALUE_TENSOR as usize),
        ("ET_VALUE_STRING", ET_VALUE_STRING as usize),
        ("et_event_kind", size_of::<et_enum>()),
        ("ET_EVENT_KERNEL", ET_EVENT_KERNEL as usize),
        ("ET_EVENT_DELEGATE", ET_EVENT_DELEGATE as usize),
        ("ET_EVENT_MOVE", ET_EVENT_MOVE as usize),
        ("ET_EVENT_JUMP", ET_EVENT_JUMP as usize),
        ("ET_EVENT_STEP", ET_EVENT_STEP as usize),
    ] {
        values.push((name.to_string(), value));
    }
    // SAFETY: C code defines both as constants; the array has `layout_count` entries.
    let expected = unsafe {
        std::slice::from_raw_parts(addr_of!(layout_values) as *const usize, layout_count)
    };
    assert_eq!(values.len(), expected.len());
    for ((name, found), expected) in values.iter().zip(expected) {
        assert_eq!(found, expected, "{}", name);
    }
}
