//! Element types of tensors.

use core::fmt;

mod private {
    pub trait Sealed {}
}

/// An element type of tensors. Only this crate can implement the trait.
///
/// The element types are `bool`, `u8` to `u64`, `i8` to `i64`, [`Float16`], [`BFloat16`], `f32`,
/// `f64`, `Complex<f32>` and `Complex<f64>`.
pub trait Element: Copy + private::Sealed + 'static {
    /// The code of the dtype in the file format.
    #[doc(hidden)]
    const DTYPE: u8;
    /// The name of the dtype in PyTorch, such as `float32`.
    const NAME: &'static str;
    /// Whether some bit patterns are not valid values.
    #[doc(hidden)]
    const HAS_INVALID_VALUES: bool = false;
}

macro_rules! elements {
    ($($type:ty = $code:literal, $name:literal;)*) => {
        $(
            impl private::Sealed for $type {}

            impl Element for $type {
                const DTYPE: u8 = $code;
                const NAME: &'static str = $name;
            }
        )*
    };
}

elements! {
    u8 = 0, "uint8";
    i8 = 1, "int8";
    i16 = 2, "int16";
    i32 = 3, "int32";
    i64 = 4, "int64";
    Float16 = 5, "float16";
    f32 = 6, "float32";
    f64 = 7, "float64";
    Complex<f32> = 9, "complex64";
    Complex<f64> = 10, "complex128";
    BFloat16 = 15, "bfloat16";
    u16 = 27, "uint16";
    u32 = 28, "uint32";
    u64 = 29, "uint64";
}

impl private::Sealed for bool {}

impl Element for bool {
    const DTYPE: u8 = 11;
    const NAME: &'static str = "bool";
    const HAS_INVALID_VALUES: bool = true;
}

/// A complex number, with the layout of C's `float complex` or `double complex`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

/// A float16 (IEEE 754 binary16) value, as its bits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Float16(pub u16);

impl Float16 {
    /// Converts to the nearest float16 value. Ties round to even, and large values to infinity.
    pub fn from_f32(value: f32) -> Float16 {
        let bits = value.to_bits();
        let sign = ((bits >> 16) & 0x8000) as u16;
        let magnitude = bits & 0x7fff_ffff;
        if magnitude > 0x7f80_0000 {
            return Float16(sign | 0x7e00 | ((magnitude >> 13) & 0x1ff) as u16);
        }
        // From 65520 on, values round to infinity.
        if magnitude >= 0x477f_f000 {
            return Float16(sign | 0x7c00);
        }
        if magnitude >= 0x3880_0000 {
            // Rebias the exponent by 112, and round 13 bits. A carry moves to the exponent.
            let rebased = magnitude - (112 << 23);
            return Float16(sign | round_to_even(rebased, 13) as u16);
        }
        // Subnormal: the unit is 2^-24.
        let shift = 126 - (magnitude >> 23);
        if shift > 24 {
            return Float16(sign);
        }
        let mantissa = (magnitude & 0x007f_ffff) | 0x0080_0000;
        Float16(sign | round_to_even(mantissa, shift) as u16)
    }

    /// Converts to float32, without rounding.
    pub fn to_f32(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let exponent = u32::from(self.0 >> 10) & 0x1f;
        let mantissa = u32::from(self.0 & 0x3ff);
        match exponent {
            0 => {
                let magnitude = mantissa as f32 * f32::from_bits((127 - 24) << 23);
                f32::from_bits(sign | magnitude.to_bits())
            }
            0x1f => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
            _ => f32::from_bits(sign | (exponent + 112) << 23 | mantissa << 13),
        }
    }
}

impl fmt::Debug for Float16 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), formatter)
    }
}

/// A bfloat16 value, as its bits: the upper half of a float32 value.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct BFloat16(pub u16);

impl BFloat16 {
    /// Converts to the nearest bfloat16 value. Ties round to even.
    pub fn from_f32(value: f32) -> BFloat16 {
        let bits = value.to_bits();
        if value.is_nan() {
            return BFloat16((bits >> 16) as u16 | 0x40);
        }
        BFloat16(round_to_even(bits, 16) as u16)
    }

    /// Converts to float32, without rounding.
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

impl fmt::Debug for BFloat16 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), formatter)
    }
}

/// Returns value / 2^shift, rounded to the nearest integer; ties to even. 1 <= shift <= 24.
fn round_to_even(value: u32, shift: u32) -> u32 {
    let quotient = value >> shift;
    let rest = value & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    quotient + u32::from(rest > half || (rest == half && quotient & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::{BFloat16, Float16};

    #[test]
    fn float16_values_survive_a_round_trip() {
        for bits in 0..=u16::MAX {
            let value = Float16(bits).to_f32();
            if value.is_nan() {
                assert!(Float16::from_f32(value).to_f32().is_nan());
            } else {
                assert_eq!(Float16::from_f32(value).0, bits);
            }
        }
    }

    #[test]
    fn float16_conversion_rounds_ties_to_even() {
        for bits in 0..0x7bffu16 {
            let (low, high) = (Float16(bits).to_f32(), Float16(bits + 1).to_f32());
            let middle = (low + high) / 2.0;
            let even = bits + (bits & 1);
            assert_eq!(Float16::from_f32(middle).0, even);
            assert_eq!(Float16::from_f32(f32::from_bits(middle.to_bits() + 1)).0, bits + 1);
            assert_eq!(Float16::from_f32(f32::from_bits(middle.to_bits() - 1)).0, bits);
        }
        assert_eq!(Float16::from_f32(65519.996).0, 0x7bff);
        assert_eq!(Float16::from_f32(65520.0).0, 0x7c00);
        assert_eq!(Float16::from_f32(-1e30).0, 0xfc00);
    }

    #[test]
    fn bfloat16_values_survive_a_round_trip() {
        for bits in 0..=u16::MAX {
            let value = BFloat16(bits).to_f32();
            if value.is_nan() {
                assert!(BFloat16::from_f32(value).to_f32().is_nan());
            } else {
                assert_eq!(BFloat16::from_f32(value).0, bits);
            }
        }
        assert_eq!(BFloat16::from_f32(1.0 + 1.0 / 256.0).0, 0x3f80);
        assert_eq!(BFloat16::from_f32(1.0 + 3.0 / 256.0).0, 0x3f82);
    }
}
