package org.executorch.bazel;

/**
 * An element type of tensors.
 *
 * <p>Java has no unsigned integers, 16-bit floats and complex numbers. Their elements are the bits
 * in an integer of the same size; a complex number is two elements, the real and the imaginary part.
 */
public enum Dtype {
  /** Unsigned integers, as {@code byte}; see {@link Byte#toUnsignedInt}. */
  UINT8(0, "uint8", 1, byte[].class),
  /** Integers, as {@code byte}. */
  INT8(1, "int8", 1, byte[].class),
  /** Integers, as {@code short}. */
  INT16(2, "int16", 1, short[].class),
  /** Integers, as {@code int}. */
  INT32(3, "int32", 1, int[].class),
  /** Integers, as {@code long}. */
  INT64(4, "int64", 1, long[].class),
  /** IEEE 754 binary16, as {@code short}; see {@link Float16}. */
  FLOAT16(5, "float16", 1, short[].class),
  /** Floats, as {@code float}. */
  FLOAT32(6, "float32", 1, float[].class),
  /** Floats, as {@code double}. */
  FLOAT64(7, "float64", 1, double[].class),
  /** Complex numbers, as two {@code float}. */
  COMPLEX64(9, "complex64", 2, float[].class),
  /** Complex numbers, as two {@code double}. */
  COMPLEX128(10, "complex128", 2, double[].class),
  /** Booleans, as {@code boolean}; in buffers, bytes 0 and 1. */
  BOOL(11, "bool", 1, boolean[].class),
  /** The upper half of a float, as {@code short}; see {@link Float16}. */
  BFLOAT16(15, "bfloat16", 1, short[].class),
  /** Unsigned integers, as {@code short}; see {@link Short#toUnsignedInt}. */
  UINT16(27, "uint16", 1, short[].class),
  /** Unsigned integers, as {@code int}; see {@link Integer#toUnsignedLong}. */
  UINT32(28, "uint32", 1, int[].class),
  /** Unsigned integers, as {@code long}; see {@link Long#toUnsignedString}. */
  UINT64(29, "uint64", 1, long[].class);

  private final int code;
  private final String text;
  private final int parts;
  private final Class<?> arrayType;

  Dtype(int code, String text, int parts, Class<?> arrayType) {
    this.code = code;
    this.text = text;
    this.parts = parts;
    this.arrayType = arrayType;
  }

  /** Returns the dtype with a code of et_scalar_type; null if there is none. */
  static Dtype ofCode(int code) {
    for (Dtype dtype : values()) {
      if (dtype.code == code) {
        return dtype;
      }
    }
    return null;
  }

  /** Returns the code of et_scalar_type. */
  int code() {
    return code;
  }

  /** Returns the type of arrays with the elements. */
  Class<?> arrayType() {
    return arrayType;
  }

  /**
   * Returns the number of Java elements of one element: 2 for complex numbers, otherwise 1.
   *
   * @return 1 or 2
   */
  public int getParts() {
    return parts;
  }

  /**
   * Returns the name in PyTorch.
   *
   * @return a name such as {@code float32}
   */
  @Override
  public String toString() {
    return text;
  }
}
