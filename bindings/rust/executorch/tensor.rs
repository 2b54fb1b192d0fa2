//! Views of elements: inputs that the caller passes, and outputs of a method.

use core::fmt;
use core::ops::{Deref, Index};

use crate::element::Element;

/// An input with several dynamic sizes: borrowed elements and their sizes.
///
/// The elements are in the dim order of the input.
#[derive(Clone, Copy, Debug)]
pub struct Shaped<'a, T, const RANK: usize> {
    pub(crate) elements: &'a [T],
    pub(crate) sizes: [usize; RANK],
}

impl<'a, T: Element, const RANK: usize> Shaped<'a, T, RANK> {
    /// Borrows elements. The call checks that the product of the sizes is the number of elements.
    pub fn new(elements: &'a [T], sizes: [usize; RANK]) -> Self {
        Shaped { elements, sizes }
    }
}

/// An output: a view of the model's memory, which dereferences to a slice of its elements.
///
/// The tensor borrows the model until the next call. To keep the elements, copy them with
/// `to_vec()`.
#[derive(Clone, Copy)]
pub struct Tensor<'a, T, const RANK: usize> {
    elements: &'a [T],
    sizes: [usize; RANK],
    strides: [usize; RANK],
}

impl<'a, T: Element, const RANK: usize> Tensor<'a, T, RANK> {
    pub(crate) fn new(elements: &'a [T], sizes: [usize; RANK], strides: [usize; RANK]) -> Self {
        Tensor {
            elements,
            sizes,
            strides,
        }
    }

    /// Returns the elements, in the tensor's dim order.
    pub fn elements(&self) -> &'a [T] {
        self.elements
    }

    /// Returns the sizes.
    pub fn sizes(&self) -> [usize; RANK] {
        self.sizes
    }

    /// Returns the strides, in elements: element `[i, j]` is at `i * strides[0] + j * strides[1]`.
    pub fn strides(&self) -> [usize; RANK] {
        self.strides
    }

    /// Returns the element at one index for each dimension, or `None` if one is out of range.
    pub fn get_at(&self, index: [usize; RANK]) -> Option<&'a T> {
        let mut offset = 0;
        for ((index, size), stride) in index.iter().zip(&self.sizes).zip(&self.strides) {
            if index >= size {
                return None;
            }
            offset += index * stride;
        }
        self.elements.get(offset)
    }
}

impl<T, const RANK: usize> Deref for Tensor<'_, T, RANK> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

/// The element at one index for each dimension. Panics if an index is out of range.
impl<T: Element, const RANK: usize> Index<[usize; RANK]> for Tensor<'_, T, RANK> {
    type Output = T;

    fn index(&self, index: [usize; RANK]) -> &T {
        match self.get_at(index) {
            Some(element) => element,
            None => panic!("index {:?} is out of range; the sizes are {:?}", index, self.sizes),
        }
    }
}

/// The element at a position in dim order. Panics if the position is out of range.
impl<T, const RANK: usize> Index<usize> for Tensor<'_, T, RANK> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.elements[index]
    }
}

impl<'a, T, const RANK: usize> IntoIterator for Tensor<'a, T, RANK> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<'a, T, const RANK: usize> IntoIterator for &Tensor<'a, T, RANK> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<T: fmt::Debug, const RANK: usize> fmt::Debug for Tensor<'_, T, RANK> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tensor")
            .field("sizes", &self.sizes)
            .field("elements", &self.elements)
            .finish()
    }
}
