//! Safe types over the C runtime. All `unsafe` code of the crate is in this file and in hosted.rs.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use core::slice;
use core::str;

use crate::data::Data;
use crate::element::Element;
use crate::error::{Error, Result, Status};
use crate::options::{Options, Resources};
use crate::sys;
use crate::tensor::{Shaped, Tensor};

/// Kernels and backends that are linked with a model. Generated code has a reference to it.
pub type Registry = sys::et_registry;

/// A size in [`Call::set_inferred`] that is computed from the number of elements.
pub const DYNAMIC: usize = usize::MAX;

/// A method to load.
#[derive(Clone, Copy, Debug)]
pub struct MethodSpec {
    /// The name, with a NUL at its end.
    pub name: &'static str,
    /// The memory id of the planned buffer that methods share, or 0.
    pub shared_memory_id: u32,
}

/// The files of a program.
#[derive(Clone, Debug)]
pub struct Files {
    /// The program.
    pub program: Data,
    /// The weights file, if the program has one.
    pub weights: Option<Data>,
    /// Whether to compare the contents of the weights with the hashes in the program.
    pub check_weights: bool,
}

/// The memory of loaded methods. C code has pointers to it, so it does not move.
struct Storage<const N: usize> {
    methods: [sys::et_hosted_method; N],
    program: sys::et_program,
    extents: [sys::et_extent; 2],
    sources: [sys::et_data_source; 2],
    /// Memory of the inputs of each method that are not copied into planned memory.
    inputs: [Vec<InputMemory>; N],
    /// Not dropped before the methods are unloaded.
    resources: Resources,
    _files: Files,
}

/// The memory of an input that is not planned: the method borrows it, and a call copies elements
/// into it.
struct InputMemory {
    index: usize,
    blocks: Vec<Block>,
}

/// The loaded methods of a program, and their memory.
pub struct Methods<const N: usize> {
    storage: ptr::NonNull<Storage<N>>,
}

// SAFETY: the object has exclusive access to all memory that its methods write, and the runtime
// has no thread-local state. `Registry` and the files are never written. The threads of
// `Resources` work during calls only, and observers are Send and Sync.
unsafe impl<const N: usize> Send for Methods<N> {}

impl<const N: usize> Methods<N> {
    /// Loads the methods.
    pub fn load(
        files: Files,
        registry: &'static Registry,
        specs: &[MethodSpec; N],
        options: &Options,
    ) -> Result<Self> {
        let resources = Resources::new(options)?;
        // SAFETY: all-zero bytes are valid for pointers, integers and empty hosted methods. The
        // sources are written before they are used.
        let storage = Box::new(unsafe {
            Storage {
                methods: MaybeUninit::zeroed().assume_init(),
                program: MaybeUninit::zeroed().assume_init(),
                extents: MaybeUninit::zeroed().assume_init(),
                sources: MaybeUninit::zeroed().assume_init(),
                inputs: core::array::from_fn(|_| Vec::new()),
                resources,
                _files: files,
            }
        });
        // From here on, `Drop` frees the storage, including the methods loaded so far.
        let mut methods = Methods {
            storage: ptr::NonNull::from(Box::leak(storage)),
        };
        methods.open_program().map_err(|error| {
            // SAFETY: the storage is valid, and `_files` is not written after it was created.
            name_file(error, unsafe { &(*methods.storage.as_ptr())._files })
        })?;
        for index in 0..N {
            methods.load_method(index, registry, specs)?;
        }
        Ok(methods)
    }

    fn open_program(&mut self) -> Result<()> {
        let storage = self.storage.as_ptr();
        // SAFETY: `storage` is valid, and no method is loaded yet, so C code has no pointer to it.
        // `Files` keeps the bytes in place until the storage is freed.
        unsafe {
            let files = &(*storage)._files;
            let program = ptr::addr_of_mut!((*storage).program);
            let span = span_of(files.program.bytes());
            let weights = match &files.weights {
                None => return call(|error| sys::et_program_load(span, program, error)),
                Some(weights) => span_of(weights.bytes()),
            };
            let check_weights = files.check_weights;
            let extents = ptr::addr_of_mut!((*storage).extents) as *mut sys::et_extent;
            let sources = ptr::addr_of_mut!((*storage).sources) as *mut sys::et_data_source;
            for (index, (name, bytes)) in
                [("program\0", span), ("weights\0", weights)].iter().enumerate()
            {
                extents.add(index).write(sys::et_extent {
                    offset: 0,
                    bytes: *bytes,
                });
                sources.add(index).write(sys::et_data_source {
                    name: name.as_ptr(),
                    size: bytes.size as u64,
                    extents: extents.add(index),
                    extent_count: 1,
                    read: ptr::null(),
                    context: ptr::null_mut(),
                });
            }
            call(|error| sys::et_program_load_sources(sources, 2, program, error))?;
            if check_weights {
                call(|error| sys::et_program_check_contents(program, error))?;
            }
        }
        Ok(())
    }

    fn load_method(
        &mut self,
        index: usize,
        registry: &'static Registry,
        specs: &[MethodSpec; N],
    ) -> Result<()> {
        let spec = &specs[index];
        let shared = spec.shared_memory_id;
        let owner = specs[..index]
            .iter()
            .position(|earlier| shared != 0 && earlier.shared_memory_id == shared);
        assert!(spec.name.ends_with('\0'), "the name of a method ends with NUL");
        let storage = self.storage.as_ptr();
        // SAFETY: `storage` is valid until the methods are unloaded, and does not move. The method
        // at `index` is empty; `owner` precedes it, so it is loaded and is unloaded later. `name`
        // ends with NUL, and is static.
        unsafe {
            let program = ptr::addr_of!((*storage).program);
            let methods = ptr::addr_of_mut!((*storage).methods) as *mut sys::et_hosted_method;
            let c_options = (*ptr::addr_of_mut!((*storage).resources)).c_options();
            let inputs = ptr::addr_of_mut!((*storage).inputs) as *mut Vec<InputMemory>;
            *inputs.add(index) = unplanned_inputs(program, spec)?;
            call(|error| match owner {
                None => sys::et_hosted_method_load(
                    program,
                    spec.name.as_ptr(),
                    registry,
                    &c_options,
                    methods.add(index),
                    error,
                ),
                Some(owner) => sys::et_hosted_method_load_sharing(
                    program,
                    spec.name.as_ptr(),
                    registry,
                    &c_options,
                    methods.add(owner),
                    shared,
                    methods.add(index),
                    error,
                ),
            })
        }
    }

    /// Starts a call of method `index`. Panics if there is no such method.
    #[inline]
    pub fn call(&mut self, index: usize) -> Call<'_> {
        let method = self.method(index);
        // SAFETY: `storage` is valid for the lifetime of the object, `index` is in range, and
        // `&mut self` is exclusive access for the lifetime of the call.
        let inputs = unsafe {
            let inputs = ptr::addr_of_mut!((*self.storage.as_ptr()).inputs);
            &mut *(inputs as *mut Vec<InputMemory>).add(index)
        };
        Call { method, inputs }
    }

    /// Resets the mutable buffers of all methods to their initial values.
    pub fn reset_state(&mut self) {
        for index in 0..N {
            let method = self.method(index);
            // SAFETY: the method is loaded, and `&mut self` means that no output is borrowed.
            unsafe { sys::et_method_reset_state(method) };
        }
    }

    #[inline]
    fn method(&mut self, index: usize) -> *mut sys::et_method {
        assert!(index < N);
        let storage = self.storage.as_ptr();
        // SAFETY: `storage` is valid, and `index` is in range. `load` returned this object, so all
        // methods are loaded.
        unsafe {
            let methods = ptr::addr_of!((*storage).methods) as *const sys::et_hosted_method;
            (*methods.add(index)).method
        }
    }
}

impl<const N: usize> Drop for Methods<N> {
    fn drop(&mut self) {
        let storage = self.storage.as_ptr();
        // SAFETY: `storage` is from `Box::leak`, and this is its only owner. Methods that share a
        // buffer are freed before the owner of the buffer, which precedes them. Methods that were
        // not loaded are empty.
        unsafe {
            let methods = ptr::addr_of_mut!((*storage).methods) as *mut sys::et_hosted_method;
            for index in (0..N).rev() {
                sys::et_hosted_method_free(methods.add(index));
            }
            drop(Box::from_raw(storage));
        }
    }
}

/// Returns memory for the inputs that the method borrows. The method keeps pointers to them after a
/// call, so they cannot be the caller's.
///
/// # Safety
///
/// `program` is open, and `spec.name` ends with NUL.
unsafe fn unplanned_inputs(
    program: *const sys::et_program,
    spec: &MethodSpec,
) -> Result<Vec<InputMemory>> {
    let mut memory = Vec::new();
    let mut meta = MaybeUninit::<sys::et_method_meta>::uninit();
    // SAFETY: the caller guarantees the arguments.
    call(|error| unsafe {
        sys::et_program_method_meta(program, spec.name.as_ptr(), meta.as_mut_ptr(), error)
    })?;
    // SAFETY: the call succeeded, so it has initialized `meta`.
    let count = unsafe { sys::et_method_meta_input_count(meta.as_ptr()) };
    for index in 0..count {
        let mut input = MaybeUninit::<sys::et_value_meta>::uninit();
        // SAFETY: `meta` is initialized, and borrows the open program.
        call(|error| unsafe {
            sys::et_method_meta_input(meta.as_ptr(), index, input.as_mut_ptr(), error)
        })?;
        // SAFETY: the call succeeded, so it has initialized `input`.
        let input = unsafe { input.assume_init_ref() };
        if input.tag == sys::ET_VALUE_TENSOR && !input.is_planned {
            let count = input.nbytes / core::mem::size_of::<Block>() + 1;
            let mut blocks = Vec::new();
            blocks.try_reserve_exact(count).map_err(|_| {
                Error::new(
                    Status::MemoryTooSmall,
                    format_args!("the heap has no memory for inputs[{}]", index),
                )
            })?;
            blocks.resize_with(count, || crate::data::Aligned([0; core::mem::size_of::<Block>()]));
            memory.push(InputMemory { index, blocks });
        }
    }
    Ok(memory)
}

/// One call of a method: set all inputs, then run.
pub struct Call<'a> {
    method: *mut sys::et_method,
    /// The unplanned inputs. The reference is exclusive access to the methods, until the outputs
    /// are dropped.
    inputs: &'a mut Vec<InputMemory>,
}

/// Copies the elements of an unplanned input, and returns their address.
#[cold]
fn copy_elements<T: Element>(
    inputs: &mut [InputMemory],
    index: usize,
    elements: &[T],
) -> *const c_void {
    let source = elements.as_ptr() as *const u8;
    let size = core::mem::size_of_val(elements);
    match inputs.iter_mut().find(|input| input.index == index) {
        Some(input) if size <= core::mem::size_of_val(input.blocks.as_slice()) => {
            let target = input.blocks.as_mut_ptr() as *mut u8;
            // SAFETY: `blocks` has at least `size` bytes, all of which are initialized.
            unsafe { ptr::copy_nonoverlapping(source, target, size) };
            target as *const c_void
        }
        // The input is planned, so the method copies it; or the call fails, because the elements
        // exceed the upper bound of the input.
        _ => source as *const c_void,
    }
}

impl<'a> Call<'a> {
    /// Sets a tensor with fixed sizes.
    #[inline]
    pub fn set_fixed<T: Element, const RANK: usize>(
        &mut self,
        index: usize,
        name: &str,
        sizes: [usize; RANK],
        elements: &[T],
    ) -> Result<()> {
        let count = sizes.iter().product::<usize>();
        if elements.len() != count {
            return Err(wrong_count(name, elements.len(), count));
        }
        self.set(index, name, &sizes, elements)
    }

    /// Sets a tensor with one dynamic size, which is [`DYNAMIC`] in `sizes`.
    #[inline]
    pub fn set_inferred<T: Element, const RANK: usize>(
        &mut self,
        index: usize,
        name: &str,
        mut sizes: [usize; RANK],
        elements: &[T],
    ) -> Result<()> {
        let fixed = sizes.iter().filter(|&&size| size != DYNAMIC);
        let others = fixed.product::<usize>();
        let dynamic = elements.len().checked_div(others).unwrap_or(0);
        if dynamic * others != elements.len() {
            return Err(Error::new(
                Status::InvalidArgument,
                format_args!("{}: {} elements; pass a multiple of {}", name, elements.len(), others),
            ));
        }
        for size in &mut sizes {
            if *size == DYNAMIC {
                *size = dynamic;
            }
        }
        self.set(index, name, &sizes, elements)
    }

    /// Sets a tensor with several dynamic sizes.
    #[inline]
    pub fn set_shaped<T: Element, const RANK: usize>(
        &mut self,
        index: usize,
        name: &str,
        input: Shaped<'_, T, RANK>,
    ) -> Result<()> {
        let count = input
            .sizes
            .iter()
            .try_fold(1usize, |product, &size| product.checked_mul(size))
            .unwrap_or(usize::MAX);
        if input.elements.len() != count {
            return Err(wrong_count(name, input.elements.len(), count));
        }
        self.set(index, name, &input.sizes, input.elements)
    }

    #[inline]
    fn set<T: Element, const RANK: usize>(
        &mut self,
        index: usize,
        name: &str,
        sizes: &[usize; RANK],
        elements: &[T],
    ) -> Result<()> {
        // Sizes of 2^31 or more exceed every upper bound; i32::MAX does too, or fails the check of
        // the number of elements.
        let sizes = sizes.map(|size| i32::try_from(size).unwrap_or(i32::MAX));
        let data = if self.inputs.is_empty() {
            elements.as_ptr() as *const c_void
        } else {
            copy_elements(self.inputs, index, elements)
        };
        // SAFETY: the method is loaded, and this object has exclusive access. `data` has
        // `size_of_val` bytes of the dtype. If the method keeps a pointer to them, because the
        // input is not planned, they are in `inputs`, which exists until the method is unloaded.
        call(|error| unsafe {
            sys::et_method_set_input(
                self.method,
                index,
                sys::et_enum::from(T::DTYPE),
                sizes.as_ptr(),
                RANK,
                data,
                core::mem::size_of_val(elements),
                error,
            )
        })
        .map_err(|error| at_input(error, index, name))
    }

    /// Sets an integer.
    #[inline]
    pub fn set_int(&mut self, index: usize, name: &str, value: i64) -> Result<()> {
        let value = sys::et_value {
            tag: sys::ET_VALUE_INT,
            u: sys::et_value_payload { as_int: value },
        };
        // SAFETY: the method is loaded, and this object has exclusive access. The value is read
        // during the call only.
        call(|error| unsafe {
            sys::et_method_set_scalar_input(self.method, index, &value, error)
        })
        .map_err(|error| at_input(error, index, name))
    }

    /// Runs the method.
    #[inline]
    pub fn run(self) -> Result<Outputs<'a>> {
        // SAFETY: the method is loaded, and this object has exclusive access.
        call(|error| unsafe { sys::et_method_execute(self.method, error) })?;
        Ok(Outputs {
            method: self.method,
            _methods: PhantomData,
        })
    }
}

/// The outputs of a call. They are valid until the next call, which needs the same `&mut`.
pub struct Outputs<'a> {
    method: *const sys::et_method,
    _methods: PhantomData<&'a mut sys::et_method>,
}

impl<'a> Outputs<'a> {
    /// Returns a tensor. Fails if the program's output has another dtype or rank.
    #[inline]
    pub fn tensor<T: Element, const RANK: usize>(
        &self,
        index: usize,
    ) -> Result<Tensor<'a, T, RANK>> {
        let value = self.value(index, sys::ET_VALUE_TENSOR)?;
        // SAFETY: the tag is that of a tensor, so `as_tensor` is the member in use. The tensor is
        // valid until the next call on the methods, so for 'a.
        let tensor = unsafe { &*value.u.as_tensor };
        let data = tensor.data as *const T;
        if tensor.dtype != sys::et_enum::from(T::DTYPE)
            || usize::from(tensor.rank) != RANK
            || data as usize & (core::mem::align_of::<T>() - 1) != 0
        {
            return Err(Error::new(
                Status::InvalidType,
                format_args!(
                    "outputs[{}] is not a {} tensor with {} dims; the program differs from the model",
                    index,
                    T::NAME,
                    RANK
                ),
            ));
        }
        let elements: &'a [T] = if tensor.numel == 0 || data.is_null() {
            &[]
        } else {
            if T::HAS_INVALID_VALUES {
                // SAFETY: `data` has `numel` bytes, because a bool has one.
                let bytes = unsafe { slice::from_raw_parts(data as *const u8, tensor.numel) };
                check_booleans(index, bytes)?;
            }
            // SAFETY: `data` has `numel` elements of the dtype, is aligned, and is not written
            // before the next call. Each value is valid for T: only bool has invalid values, and
            // they have been checked.
            unsafe { slice::from_raw_parts(data, tensor.numel) }
        };
        let mut sizes = [0; RANK];
        let mut strides = [0; RANK];
        for dim in 0..RANK {
            // SAFETY: both arrays have `rank` entries, and `rank` is RANK.
            let (size, stride) = unsafe { (*tensor.sizes.add(dim), *tensor.strides.add(dim)) };
            sizes[dim] = usize::try_from(size).unwrap_or(0);
            strides[dim] = usize::try_from(stride).unwrap_or(0);
        }
        Ok(Tensor::new(elements, sizes, strides))
    }

    /// Returns an integer.
    pub fn int(&self, index: usize) -> Result<i64> {
        let value = self.value(index, sys::ET_VALUE_INT)?;
        // SAFETY: the tag is that of an int.
        Ok(unsafe { value.u.as_int })
    }

    /// Returns a boolean.
    pub fn bool(&self, index: usize) -> Result<bool> {
        let value = self.value(index, sys::ET_VALUE_BOOL)?;
        // SAFETY: the tag is that of a bool, which is stored in one byte.
        Ok(unsafe { value.u.as_bool } != 0)
    }

    /// Returns a float.
    pub fn double(&self, index: usize) -> Result<f64> {
        let value = self.value(index, sys::ET_VALUE_DOUBLE)?;
        // SAFETY: the tag is that of a double.
        Ok(unsafe { value.u.as_double })
    }

    /// Returns a string.
    pub fn string(&self, index: usize) -> Result<&'a str> {
        let value = self.value(index, sys::ET_VALUE_STRING)?;
        // SAFETY: the tag is that of a string. Its bytes are in the program, which the methods
        // keep, so they are valid for 'a. An empty string may have no address.
        let bytes: &'a [u8] = unsafe {
            let text = value.u.as_string;
            if text.size == 0 {
                &[]
            } else {
                slice::from_raw_parts(text.data, text.size)
            }
        };
        str::from_utf8(bytes).map_err(|_| {
            Error::new(Status::InvalidProgram, format_args!("outputs[{}] is not UTF-8", index))
        })
    }

    #[inline]
    fn value(&self, index: usize, tag: sys::et_enum) -> Result<&'a sys::et_value> {
        let mut value = ptr::null();
        // SAFETY: the method is loaded, and no call has been made since it ran.
        call(|error| unsafe {
            sys::et_method_get_output(self.method, index, &mut value, error)
        })?;
        // SAFETY: the call succeeded, so `value` points to a value of the method. It is valid
        // until the next call on the methods, so for 'a.
        let value: &'a sys::et_value = unsafe { &*value };
        if value.tag == tag {
            return Ok(value);
        }
        Err(Error::new(
            Status::InvalidType,
            format_args!("outputs[{}] has another kind; the program differs from the model", index),
        ))
    }
}

fn check_booleans(index: usize, bytes: &[u8]) -> Result<()> {
    if bytes.iter().fold(0, |all, byte| all | byte) <= 1 {
        return Ok(());
    }
    Err(Error::new(
        Status::InvalidProgram,
        format_args!("outputs[{}] has bytes other than 0 and 1, so it is not a bool tensor", index),
    ))
}

#[cold]
fn wrong_count(name: &str, found: usize, expected: usize) -> Error {
    Error::new(
        Status::InvalidArgument,
        format_args!("{}: {} elements; pass {}", name, found, expected),
    )
}

/// Replaces `inputs[<index>]` at the start of a message by the input's name.
#[cold]
fn at_input(error: Error, index: usize, name: &str) -> Error {
    let rest = error
        .message()
        .strip_prefix("inputs[")
        .and_then(|rest| rest.split_once(']'))
        .filter(|(number, _)| number.parse() == Ok(index))
        .map(|(_, rest)| rest);
    match rest {
        Some(rest) => Error::new(error.status(), format_args!("{}{}", name, rest)),
        None => Error::new(error.status(), format_args!("{}: {}", name, error.message())),
    }
}

/// Adds the path of the file that an error is about.
#[cold]
fn name_file(error: Error, files: &Files) -> Error {
    const WEIGHTS: &str = "source 'weights': ";
    match &files.weights {
        Some(weights) if error.message().starts_with(WEIGHTS) => weights.locate(error, WEIGHTS),
        _ => files.program.locate(error, ""),
    }
}

fn span_of(bytes: &[u8]) -> sys::et_span {
    sys::et_span {
        data: bytes.as_ptr(),
        size: bytes.len(),
    }
}

/// Returns a source of random numbers.
pub(crate) fn seeded(seed: u64) -> sys::et_random {
    // SAFETY: the function has no precondition.
    unsafe { sys::et_random_seeded(seed) }
}

/// Calls a C function, and returns its error.
#[inline]
pub(crate) fn call(function: impl FnOnce(*mut sys::et_error) -> sys::et_enum) -> Result<()> {
    let mut error = MaybeUninit::<sys::et_error>::uninit();
    let status = function(error.as_mut_ptr());
    if status == sys::ET_STATUS_OK {
        return Ok(());
    }
    Err(take_error(status, &error))
}

#[cold]
#[allow(clippy::useless_conversion)] // et_enum is u8 on bare-metal ARM.
fn take_error(status: sys::et_enum, error: &MaybeUninit<sys::et_error>) -> Error {
    // SAFETY: a failed call has written the message and a NUL.
    let message = unsafe {
        let start = ptr::addr_of!((*error.as_ptr()).message) as *const u8;
        let mut size = 0;
        while size < sys::ET_ERROR_MESSAGE_BYTES && *start.add(size) != 0 {
            size += 1;
        }
        slice::from_raw_parts(start, size)
    };
    let text = match str::from_utf8(message) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&message[..error.valid_up_to()]).unwrap_or(""),
    };
    Error::new(Status::from_code(u32::from(status)), format_args!("{}", text))
}

/// A block of memory that C code reads.
pub(crate) type Block = crate::data::Aligned<[u8; 64]>;

/// Returns the bytes of blocks.
#[cfg(feature = "std")]
pub(crate) fn bytes_of(blocks: &[Block]) -> &[u8] {
    // SAFETY: the size of a block is its alignment, so it has no padding, and all bytes are
    // initialized.
    unsafe { slice::from_raw_parts(blocks.as_ptr() as *const u8, core::mem::size_of_val(blocks)) }
}

/// Returns the bytes of blocks.
#[cfg(feature = "std")]
pub(crate) fn bytes_of_mut(blocks: &mut [Block]) -> &mut [u8] {
    // SAFETY: as in bytes_of. Every byte value is valid in a block.
    unsafe {
        slice::from_raw_parts_mut(blocks.as_mut_ptr() as *mut u8, core::mem::size_of_val(blocks))
    }
}
