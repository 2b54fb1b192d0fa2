//! Options for loading a model, and their form in C.

#[cfg(feature = "std")]
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ptr;

use crate::error::Result;
#[cfg(feature = "std")]
use crate::hosted::{self, Observer, Workers};
use crate::sys;

/// The value of an option of a backend.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// An integer.
    Int(i64),
    /// A boolean.
    Bool(bool),
    /// A float.
    Double(f64),
    /// A string.
    Text(String),
}

impl From<i64> for OptionValue {
    fn from(value: i64) -> OptionValue {
        OptionValue::Int(value)
    }
}

impl From<bool> for OptionValue {
    fn from(value: bool) -> OptionValue {
        OptionValue::Bool(value)
    }
}

impl From<f64> for OptionValue {
    fn from(value: f64) -> OptionValue {
        OptionValue::Double(value)
    }
}

impl From<&str> for OptionValue {
    fn from(value: &str) -> OptionValue {
        OptionValue::Text(value.into())
    }
}

/// Options for loading a model.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// The maximum number of instructions in one call. 0 selects the default, 10 million.
    pub max_steps: u64,
    /// The seed of operators that return random numbers. Without a seed, such operators fail.
    pub random_seed: Option<u64>,
    /// Backend, key and value of each option of a backend.
    backend_options: Vec<(String, String, OptionValue)>,
    /// Starts the threads. Programs that do not set it do not link the thread pool.
    #[cfg(feature = "std")]
    threads: Option<(usize, hosted::StartThreads)>,
    #[cfg(feature = "std")]
    observer: Option<hosted::Observing>,
}

impl Options {
    /// Sets an option of a backend, such as `set_backend_option("CpuBackend", "isa", "plain")`.
    /// Options of backends that the model does not use are ignored.
    pub fn set_backend_option(&mut self, backend: &str, key: &str, value: impl Into<OptionValue>) {
        self.backend_options
            .retain(|(other, name, _)| (other.as_str(), name.as_str()) != (backend, key));
        self.backend_options.push((backend.into(), key.into(), value.into()));
    }

    /// Sets the number of threads of kernels and backends, 1 to 64, including the caller's. Each
    /// object starts its own threads.
    #[cfg(feature = "std")]
    pub fn set_threads(&mut self, count: usize) {
        self.threads = Some((count, hosted::start_threads));
    }

    /// Sets the observer, which receives the events of loading and running the model.
    #[cfg(feature = "std")]
    pub fn set_observer(&mut self, observer: std::sync::Arc<dyn Observer>) {
        self.observer = Some(hosted::Observing::new(observer));
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Options");
        fields
            .field("max_steps", &self.max_steps)
            .field("random_seed", &self.random_seed)
            .field("backend_options", &self.backend_options);
        #[cfg(feature = "std")]
        fields
            .field("threads", &self.threads.map_or(1, |(count, _)| count))
            .field("has_observer", &self.observer.is_some());
        fields.finish_non_exhaustive()
    }
}

/// Objects that the C options of loaded methods point to. It does not move while methods are loaded.
pub(crate) struct Resources {
    max_steps: u64,
    /// Zero or one generator. C code writes it, so it is not inside this object.
    random: Vec<sys::et_random>,
    backends: Vec<sys::et_backend_options>,
    /// The memory of `backends`. Texts are not `Box<str>`, whose move would invalidate pointers to it.
    _options: Vec<sys::et_backend_option>,
    _texts: Vec<String>,
    #[cfg(feature = "std")]
    workers: Option<Box<dyn Workers>>,
    #[cfg(feature = "std")]
    observer: Option<Box<hosted::CObserver>>,
}

impl Resources {
    pub(crate) fn new(options: &Options) -> Result<Resources> {
        let mut texts = Vec::new();
        let mut c_options: Vec<sys::et_backend_option> = Vec::new();
        let mut ranges: Vec<(&str, usize)> = Vec::new();
        let mut sorted: Vec<_> = options.backend_options.iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        for (backend, key, value) in sorted {
            match ranges.last_mut() {
                Some((last, count)) if last == backend => *count += 1,
                _ => ranges.push((backend, 1)),
            }
            c_options.push(sys::et_backend_option {
                key: kept(&mut texts, key).data,
                value: c_value(&mut texts, value),
            });
        }
        let mut backends = Vec::new();
        let mut rest = c_options.as_slice();
        for (backend, count) in ranges {
            backends.push(sys::et_backend_options {
                id: kept(&mut texts, backend).data,
                options: rest.as_ptr(),
                count,
            });
            rest = &rest[count..];
        }
        Ok(Resources {
            max_steps: options.max_steps,
            random: options.random_seed.map(crate::native::seeded).into_iter().collect(),
            backends,
            _options: c_options,
            _texts: texts,
            #[cfg(feature = "std")]
            workers: match options.threads {
                None => None,
                Some((count, start)) => Some(start(count)?),
            },
            #[cfg(feature = "std")]
            observer: options.observer.as_ref().map(hosted::Observing::in_c),
        })
    }

    /// Returns the C options, which point to this object.
    pub(crate) fn c_options(&mut self) -> sys::et_method_options {
        #[cfg(feature = "std")]
        let (parallel, observer) = (
            self.workers.as_ref().map_or(ptr::null(), |workers| workers.parallel()),
            self.observer.as_ref().map_or(ptr::null(), |observer| observer.pointer()),
        );
        #[cfg(not(feature = "std"))]
        let (parallel, observer) = (ptr::null(), ptr::null());
        sys::et_method_options {
            parallel,
            observer,
            backend_options: self.backends.as_ptr(),
            backend_options_count: self.backends.len(),
            store: ptr::null_mut(),
            data: sys::et_mutable_span {
                data: ptr::null_mut(),
                size: 0,
            },
            max_steps: self.max_steps,
            random: match self.random.len() {
                0 => ptr::null_mut(),
                _ => self.random.as_mut_ptr(),
            },
        }
    }
}

/// Keeps a copy of `text` with a NUL, and returns it in the form of C.
fn kept(texts: &mut Vec<String>, text: &str) -> sys::et_string {
    let mut copy = String::with_capacity(text.len() + 1);
    copy.push_str(text);
    copy.push('\0');
    let found = sys::et_string {
        data: copy.as_ptr(),
        size: text.len(),
    };
    texts.push(copy);
    found
}

fn c_value(texts: &mut Vec<String>, value: &OptionValue) -> sys::et_value {
    use sys::et_value_payload as payload;
    let (tag, u) = match value {
        OptionValue::Int(value) => (sys::ET_VALUE_INT, payload { as_int: *value }),
        OptionValue::Bool(value) => (sys::ET_VALUE_BOOL, payload { as_bool: u8::from(*value) }),
        OptionValue::Double(value) => (sys::ET_VALUE_DOUBLE, payload { as_double: *value }),
        OptionValue::Text(text) => {
            (sys::ET_VALUE_STRING, payload { as_string: kept(texts, text) })
        }
    };
    sys::et_value { tag, u }
}
