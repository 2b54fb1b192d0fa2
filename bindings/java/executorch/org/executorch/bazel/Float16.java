package org.executorch.bazel;

/** Conversions of float16 and bfloat16 elements, whose bits are in a {@code short}. */
public final class Float16 {
  private Float16() {}

  /**
   * Converts float16 to float, without rounding.
   *
   * @param bits the bits of a float16 value
   * @return the value
   */
  public static float toFloat(short bits) {
    int sign = (bits & 0x8000) << 16;
    int exponent = bits >> 10 & 0x1f;
    int mantissa = bits & 0x3ff;
    if (exponent == 0) {
      // 2^-24 is the unit of subnormal values.
      float magnitude = mantissa * 0x1p-24f;
      return Float.intBitsToFloat(sign | Float.floatToRawIntBits(magnitude));
    }
    int high = exponent == 0x1f ? 0x7f800000 : exponent + 112 << 23;
    return Float.intBitsToFloat(sign | high | mantissa << 13);
  }

  /**
   * Converts to the nearest float16 value. Ties round to even, and large values to infinity.
   *
   * @param value the value
   * @return the bits of the float16 value
   */
  public static short ofFloat(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = bits >>> 16 & 0x8000;
    int magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
      return (short) (sign | 0x7e00 | magnitude >> 13 & 0x1ff);
    }
    // From 65520 on, values round to infinity.
    if (magnitude >= 0x477ff000) {
      return (short) (sign | 0x7c00);
    }
    if (magnitude >= 0x38800000) {
      // Rebias the exponent by 112, and round 13 bits. A carry moves to the exponent.
      return (short) (sign | roundToEven(magnitude - (112 << 23), 13));
    }
    int shift = 126 - (magnitude >> 23);
    if (shift > 24) {
      return (short) sign;
    }
    return (short) (sign | roundToEven(magnitude & 0x7fffff | 0x800000, shift));
  }

  /**
   * Converts bfloat16 to float, without rounding.
   *
   * @param bits the bits of a bfloat16 value
   * @return the value
   */
  public static float bfloat16ToFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /**
   * Converts to the nearest bfloat16 value. Ties round to even.
   *
   * @param value the value
   * @return the bits of the bfloat16 value
   */
  public static short bfloat16OfFloat(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) (bits >> 16 | 0x40);
    }
    return (short) ((bits & 0x80000000) >>> 16 | roundToEven(bits & 0x7fffffff, 16));
  }

  /** Returns value / 2^shift, rounded to the nearest integer; ties to even. 1 &lt;= shift &lt;= 24. */
  private static int roundToEven(int value, int shift) {
    int quotient = value >> shift;
    int rest = value & (1 << shift) - 1;
    int half = 1 << shift - 1;
    return rest > half || rest == half && (quotient & 1) == 1 ? quotient + 1 : quotient;
  }
}
