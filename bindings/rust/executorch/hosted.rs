//! Threads and observers, which need the standard library.

use std::boxed::Box;
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::vec::Vec;

use crate::data::Aligned;
use crate::error::{Result, Status};
use crate::native::{call, Block};
use crate::sys;

/// Starts a number of threads.
pub(crate) type StartThreads = fn(usize) -> Result<Box<dyn Workers>>;

/// Threads for methods, which end when the object is dropped.
pub(crate) trait Workers {
    /// The C interface, which is valid as long as the object.
    fn parallel(&self) -> *const c_void;
}

/// An `et_cpu_pool`. C code has pointers to its memory, so that does not move.
struct Pool {
    start: *mut c_void,
    _memory: Vec<Block>,
}

/// Starts a pool with `count` threads, including the caller of a method.
pub(crate) fn start_threads(count: usize) -> Result<Box<dyn Workers>> {
    // SAFETY: C code defines it as a constant.
    let size = unsafe { sys::et_rust_pool_bytes };
    let blocks = size / core::mem::size_of::<Block>() + 1;
    let mut memory = Vec::new();
    memory.resize_with(blocks, || Aligned([0; core::mem::size_of::<Block>()]));
    let start = memory.as_mut_ptr() as *mut c_void;
    // SAFETY: `memory` has the size and the alignment of an et_cpu_pool.
    call(|error| unsafe { sys::et_cpu_pool_create(start, count, error) })?;
    Ok(Box::new(Pool { start, _memory: memory }))
}

impl Workers for Pool {
    fn parallel(&self) -> *const c_void {
        // `parallel` is the first member of an et_cpu_pool.
        self.start
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the pool exists since `start_threads`, and no method is running: the methods
        // that use it are unloaded.
        unsafe { sys::et_cpu_pool_destroy(self.start) };
    }
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A kernel runs. The name is that of the operator.
    Kernel,
    /// A delegate runs. The name is the id of the backend.
    Delegate,
    /// An instruction copies a value to another value.
    Move,
    /// An instruction jumps, depending on a value.
    Jump,
    /// An op of a delegate runs, within the event of the delegate.
    Step,
    /// A method is loaded. The name is that of the method.
    MethodLoad,
}

/// An event of loading or running a method.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The kind of the event.
    pub kind: EventKind,
    /// The index of the instruction in the method, or of the op in the delegate.
    pub index: u32,
    /// The name of the operator, backend or method; see [`EventKind`].
    pub name: &'a str,
}

/// A receiver of events. The runtime calls it on the thread that loads or runs the model.
///
/// Each `begin` is followed by the `end` of the same event. A panic in an observer ends the
/// process.
pub trait Observer: Send + Sync {
    /// Called when an event begins.
    fn begin(&self, event: &Event<'_>);

    /// Called when an event ends, with the status of the failure if it failed.
    fn end(&self, event: &Event<'_>, result: core::result::Result<(), Status>);
}

/// An observer, and the part of the runtime that reports its events. Programs that do not set an
/// observer do not link that part.
#[derive(Clone)]
pub(crate) struct Observing {
    observer: Arc<dyn Observer>,
    by: *const sys::et_observation,
}

// SAFETY: `by` points to a constant.
unsafe impl Send for Observing {}
// SAFETY: as above.
unsafe impl Sync for Observing {}

impl Observing {
    pub(crate) fn new(observer: Arc<dyn Observer>) -> Observing {
        Observing {
            observer,
            // SAFETY: C code defines it as a constant. Its address is taken, and it is not read.
            #[allow(unused_unsafe)] // Before Rust 1.82, this needs `unsafe`.
            by: unsafe { core::ptr::addr_of!(sys::et_observation) },
        }
    }

    /// Returns an observer in the form of C, which does not move.
    pub(crate) fn in_c(&self) -> Box<CObserver> {
        let context: *mut Arc<dyn Observer> = Box::into_raw(Box::new(self.observer.clone()));
        Box::new(CObserver(sys::et_observer {
            context: context as *mut c_void,
            begin,
            end,
            by: self.by,
        }))
    }
}

/// An observer in the form of C. It owns its context, an `Arc<dyn Observer>` on the heap.
pub(crate) struct CObserver(sys::et_observer);

impl CObserver {
    pub(crate) fn pointer(&self) -> *const sys::et_observer {
        &self.0
    }
}

impl Drop for CObserver {
    fn drop(&mut self) {
        // SAFETY: `in_c` allocated the context, and no method that uses it is loaded.
        drop(unsafe { Box::from_raw(self.0.context as *mut Arc<dyn Observer>) });
    }
}

unsafe extern "C" fn begin(context: *mut c_void, event: *const sys::et_event) {
    // SAFETY: `context` is that of `in_c`, and C code passes a valid event.
    let (observer, event) = unsafe { (&*(context as *const Arc<dyn Observer>), &*event) };
    without_panic(|| observer.begin(&event_of(event)));
}

unsafe extern "C" fn end(context: *mut c_void, event: *const sys::et_event, status: sys::et_enum) {
    // SAFETY: as in `begin`.
    let (observer, event) = unsafe { (&*(context as *const Arc<dyn Observer>), &*event) };
    let result = match status {
        sys::ET_STATUS_OK => Ok(()),
        failure => Err(Status::from_code(u32::from(failure))),
    };
    without_panic(|| observer.end(&event_of(event), result));
}

fn event_of(event: &sys::et_event) -> Event<'_> {
    let kind = match event.kind {
        sys::ET_EVENT_KERNEL => EventKind::Kernel,
        sys::ET_EVENT_DELEGATE => EventKind::Delegate,
        sys::ET_EVENT_MOVE => EventKind::Move,
        sys::ET_EVENT_JUMP => EventKind::Jump,
        sys::ET_EVENT_STEP => EventKind::Step,
        _ => EventKind::MethodLoad,
    };
    // SAFETY: the name of an event is not NULL, ends with NUL, and is valid during the call.
    let name = unsafe { CStr::from_ptr(event.name as *const c_char) };
    Event {
        kind,
        index: event.index,
        name: name.to_str().unwrap_or(""),
    }
}

/// Ends the process if `function` panics, because a panic must not unwind into C code.
fn without_panic(function: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(function)).is_err() {
        std::process::abort();
    }
}
