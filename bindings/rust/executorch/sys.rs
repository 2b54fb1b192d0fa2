//! Declarations of the C runtime: the headers of `runtime/include/executorch`.
//!
//! `tests/rust` compares the layout of each struct with the C compiler's.
#![allow(non_camel_case_types, missing_docs)]

use core::ffi::c_void;

/// A C enum. Bare-metal ARM uses the smallest integer that holds the values.
#[cfg(not(all(target_arch = "arm", target_os = "none")))]
pub type et_enum = u32;
#[cfg(all(target_arch = "arm", target_os = "none"))]
pub type et_enum = u8;

pub const ET_STATUS_OK: et_enum = 0;
pub const ET_VALUE_INT: et_enum = 2;
pub const ET_VALUE_BOOL: et_enum = 3;
pub const ET_VALUE_DOUBLE: et_enum = 4;
pub const ET_VALUE_TENSOR: et_enum = 5;
pub const ET_VALUE_STRING: et_enum = 6;
pub const ET_EVENT_KERNEL: et_enum = 0;
pub const ET_EVENT_DELEGATE: et_enum = 1;
pub const ET_EVENT_MOVE: et_enum = 2;
pub const ET_EVENT_JUMP: et_enum = 3;
pub const ET_EVENT_STEP: et_enum = 4;
pub const ET_MAX_RANK: usize = 16;
pub const ET_MAX_PLANNED_BUFFERS: usize = 32;
pub const ET_ERROR_MESSAGE_BYTES: usize = 240;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_span {
    pub data: *const u8,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_mutable_span {
    pub data: *mut u8,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_string {
    pub data: *const u8,
    pub size: usize,
}

#[repr(C)]
pub struct et_error {
    pub status: et_enum,
    pub message: [u8; ET_ERROR_MESSAGE_BYTES],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_extent {
    pub offset: u64,
    pub bytes: et_span,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_data_source {
    pub name: *const u8,
    pub size: u64,
    pub extents: *const et_extent,
    pub extent_count: usize,
    pub read: *const c_void,
    pub context: *mut c_void,
}

#[repr(C)]
pub struct et_program {
    pub file: et_span,
    pub flatbuffer: et_span,
    pub sources: *const et_data_source,
    pub source_count: usize,
    pub reading: *const c_void,
    pub external: *const c_void,
    pub segments_offset: u64,
    pub segments_size: u64,
    pub root: u32,
}

#[repr(C)]
pub struct et_method_meta {
    pub program: *const et_program,
    pub plan: u32,
}

#[repr(C)]
pub struct et_value_meta {
    pub tag: et_enum,
    pub dtype: et_enum,
    pub rank: u8,
    pub dynamism: u8,
    pub sizes: [i32; ET_MAX_RANK],
    pub dim_order: [u8; ET_MAX_RANK],
    pub nbytes: usize,
    pub is_planned: bool,
    pub min_sizes: [i32; ET_MAX_RANK],
    pub size_steps: [i32; ET_MAX_RANK],
    pub min: i64,
    pub max: i64,
    pub step: i64,
}

/// Kernels and backends that are linked. C code defines it.
#[repr(C)]
pub struct et_registry {
    private: [u8; 0],
}

#[repr(C)]
pub struct et_method {
    private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_random {
    pub state: [u64; 4],
}

/// The part of the runtime that reports events. C code defines it.
#[repr(C)]
pub struct et_observation {
    private: [u8; 0],
}

#[repr(C)]
pub struct et_event {
    pub kind: et_enum,
    pub index: u32,
    pub name: *const u8,
    pub args: *const *mut et_value,
    pub arg_count: usize,
}

#[repr(C)]
pub struct et_observer {
    pub context: *mut c_void,
    pub begin: unsafe extern "C" fn(context: *mut c_void, event: *const et_event),
    pub end: unsafe extern "C" fn(context: *mut c_void, event: *const et_event, status: et_enum),
    pub by: *const et_observation,
}

#[repr(C)]
pub struct et_backend_option {
    pub key: *const u8,
    pub value: et_value,
}

#[repr(C)]
pub struct et_backend_options {
    pub id: *const u8,
    pub options: *const et_backend_option,
    pub count: usize,
}

#[repr(C)]
pub struct et_method_options {
    pub parallel: *const c_void,
    pub observer: *const et_observer,
    pub backend_options: *const et_backend_options,
    pub backend_options_count: usize,
    pub store: *mut c_void,
    pub data: et_mutable_span,
    pub max_steps: u64,
    pub random: *mut et_random,
}

#[repr(C)]
pub struct et_method_requirements {
    pub method_bytes: usize,
    pub scratch_bytes: usize,
    pub shared_bytes: usize,
    pub data_bytes: usize,
    pub planned_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct et_planned_buffer {
    pub bytes: et_mutable_span,
    pub state: *mut c_void,
    pub sharing: *const c_void,
}

#[repr(C)]
pub struct et_hosted_method {
    pub method: *mut et_method,
    pub requirements: et_method_requirements,
    pub planned_bytes: usize,
    pub planned: [et_planned_buffer; ET_MAX_PLANNED_BUFFERS],
    pub data: *mut c_void,
    pub allocation: *mut c_void,
}

#[repr(C)]
pub struct et_tensor {
    pub data: *mut c_void,
    pub capacity: usize,
    pub sizes: *mut i32,
    pub strides: *mut i32,
    pub dim_order: *const u8,
    pub numel: usize,
    pub dtype: et_enum,
    pub rank: u8,
    pub dynamism: u8,
    pub is_constant: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union et_value_payload {
    pub as_int: i64,
    pub as_bool: u8,
    pub as_double: f64,
    pub as_tensor: *const et_tensor,
    pub as_string: et_string,
}

#[repr(C)]
pub struct et_value {
    pub tag: et_enum,
    pub u: et_value_payload,
}

extern "C" {
    pub fn et_program_load(
        file: et_span,
        out_program: *mut et_program,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_program_load_sources(
        sources: *const et_data_source,
        count: usize,
        out_program: *mut et_program,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_program_check_contents(
        program: *const et_program,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_program_method_meta(
        program: *const et_program,
        name: *const u8,
        out_meta: *mut et_method_meta,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_method_meta_input_count(meta: *const et_method_meta) -> usize;
    pub fn et_method_meta_input(
        meta: *const et_method_meta,
        index: usize,
        out_meta: *mut et_value_meta,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_random_seeded(seed: u64) -> et_random;
    pub fn et_hosted_method_load(
        program: *const et_program,
        name: *const u8,
        registry: *const et_registry,
        options: *const et_method_options,
        out_hosted: *mut et_hosted_method,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_hosted_method_load_sharing(
        program: *const et_program,
        name: *const u8,
        registry: *const et_registry,
        options: *const et_method_options,
        owner: *const et_hosted_method,
        memory_id: u32,
        out_hosted: *mut et_hosted_method,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_hosted_method_free(hosted: *mut et_hosted_method);
    pub fn et_method_reset_state(method: *mut et_method);
    pub fn et_method_set_input(
        method: *mut et_method,
        index: usize,
        dtype: et_enum,
        sizes: *const i32,
        rank: usize,
        data: *const c_void,
        nbytes: usize,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_method_set_scalar_input(
        method: *mut et_method,
        index: usize,
        value: *const et_value,
        out_error: *mut et_error,
    ) -> et_enum;
    pub fn et_method_execute(method: *mut et_method, out_error: *mut et_error) -> et_enum;
    pub fn et_method_get_output(
        method: *const et_method,
        index: usize,
        out_value: *mut *const et_value,
        out_error: *mut et_error,
    ) -> et_enum;
}

// The thread pool of backends/cpu/threads. Its memory has `et_rust_pool_bytes` bytes.
#[cfg(feature = "std")]
extern "C" {
    pub static et_rust_pool_bytes: usize;
    pub static et_observation: et_observation;
    pub fn et_cpu_pool_create(
        pool: *mut c_void,
        thread_count: usize,
        error: *mut et_error,
    ) -> et_enum;
    pub fn et_cpu_pool_destroy(pool: *mut c_void);
}
