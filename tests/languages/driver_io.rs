//! Inputs and outputs of the driver in Rust. `calls.py` describes the format.

use std::mem::size_of;

use executorch::{Element, Shaped, Tensor};

/// Calls to run, and the outputs so far.
pub struct Driver {
    calls: Vec<u8>,
    position: usize,
    outputs: Vec<u8>,
}

impl Driver {
    pub fn new(calls: Vec<u8>) -> Driver {
        Driver { calls, position: 0, outputs: Vec::new() }
    }

    pub fn outputs(&self) -> &[u8] {
        &self.outputs
    }

    fn take(&mut self, count: usize) -> &[u8] {
        self.position += count;
        &self.calls[self.position - count..self.position]
    }

    fn take_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    /// Returns the index of the method of the next call.
    pub fn next_call(&mut self) -> Option<u32> {
        (self.position < self.calls.len()).then(|| self.take_u32())
    }

    pub fn read(&mut self) -> Input {
        let rank = self.take_u32() as usize;
        let sizes = (0..rank).map(|_| self.take_u32() as usize).collect();
        let count = u64::from_le_bytes(self.take(8).try_into().unwrap()) as usize;
        let mut data = vec![0u128; count / size_of::<u128>() + 1];
        // SAFETY: `data` has more than `count` bytes, and all bytes are valid integers.
        let target = unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr() as *mut u8, count) };
        target.copy_from_slice(self.take(count));
        Input { sizes, count, data }
    }

    fn put(&mut self, sizes: &[usize], bytes: &[u8]) {
        self.outputs.extend((sizes.len() as u32).to_le_bytes());
        for size in sizes {
            self.outputs.extend((*size as u32).to_le_bytes());
        }
        self.outputs.extend((bytes.len() as u64).to_le_bytes());
        self.outputs.extend(bytes);
    }

    pub fn write(&mut self, output: impl Output) {
        output.write_to(self);
    }
}

/// The sizes and bytes of an argument.
pub struct Input {
    sizes: Vec<usize>,
    count: usize,
    data: Vec<u128>,
}

impl Input {
    pub fn get<'a, T: Argument<'a>>(&'a self) -> T {
        T::from_input(self)
    }

    fn elements<T: Element>(&self) -> &[T] {
        // SAFETY: `data` is aligned for all elements, and has `count` bytes that Python wrote for
        // elements of this type.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr() as *const T, self.count / size_of::<T>()) }
    }
}

/// A type of a method's input.
pub trait Argument<'a> {
    fn from_input(input: &'a Input) -> Self;
}

impl<'a> Argument<'a> for i64 {
    fn from_input(input: &'a Input) -> i64 {
        input.data[0] as i64
    }
}

impl<'a, T: Element> Argument<'a> for &'a [T] {
    fn from_input(input: &'a Input) -> &'a [T] {
        input.elements()
    }
}

impl<'a, T: Element, const RANK: usize> Argument<'a> for Shaped<'a, T, RANK> {
    fn from_input(input: &'a Input) -> Shaped<'a, T, RANK> {
        Shaped::new(input.elements(), input.sizes[..].try_into().unwrap())
    }
}

/// A type of a method's output.
pub trait Output {
    fn write_to(&self, driver: &mut Driver);
}

macro_rules! scalar {
    ($($type:ty)*) => {
        $(impl Output for $type {
            fn write_to(&self, driver: &mut Driver) {
                driver.put(&[], &self.to_le_bytes());
            }
        })*
    };
}

scalar! { i64 f64 }

impl Output for bool {
    fn write_to(&self, driver: &mut Driver) {
        driver.put(&[], &[u8::from(*self)]);
    }
}

impl Output for &str {
    fn write_to(&self, driver: &mut Driver) {
        driver.put(&[], self.as_bytes());
    }
}

impl<T: Element, const RANK: usize> Output for Tensor<'_, T, RANK> {
    fn write_to(&self, driver: &mut Driver) {
        let elements = self.elements();
        // SAFETY: elements have no padding, and the bytes are borrowed for this call only.
        let bytes = unsafe {
            std::slice::from_raw_parts(elements.as_ptr() as *const u8, std::mem::size_of_val(elements))
        };
        driver.put(&self.sizes(), bytes);
    }
}
