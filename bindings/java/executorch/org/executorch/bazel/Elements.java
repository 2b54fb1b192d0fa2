package org.executorch.bazel;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** Passes elements whose Java type is known at run time to {@link Inputs}, and from {@link Outputs}. */
final class Elements {
  private Elements() {}

  /** Returns the types of elements that {@link #set} accepts. */
  static String describe(Dtype dtype) {
    String element = dtype.arrayType().getComponentType().getSimpleName();
    String buffer = dtype == Dtype.BOOL ? "Byte" : element.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + element.substring(1);
    return element + "[], " + buffer + "Buffer";
  }

  /** Sets a tensor. Returns false if the elements have the wrong type. */
  static boolean set(Inputs inputs, int input, String name, Dtype dtype, Object elements, int[] sizes) {
    Class<?> type = dtype.arrayType();
    if (type.isInstance(elements)) {
      setArray(inputs, input, name, dtype, elements, sizes);
    } else if (elements instanceof ByteBuffer && (type == byte[].class || type == boolean[].class)) {
      inputs.set(input, name, dtype, (ByteBuffer) elements, sizes);
    } else if (elements instanceof ShortBuffer && type == short[].class) {
      inputs.set(input, name, dtype, (ShortBuffer) elements, sizes);
    } else if (elements instanceof IntBuffer && type == int[].class) {
      inputs.set(input, name, dtype, (IntBuffer) elements, sizes);
    } else if (elements instanceof LongBuffer && type == long[].class) {
      inputs.set(input, name, dtype, (LongBuffer) elements, sizes);
    } else if (elements instanceof FloatBuffer && type == float[].class) {
      inputs.set(input, name, dtype, (FloatBuffer) elements, sizes);
    } else if (elements instanceof DoubleBuffer && type == double[].class) {
      inputs.set(input, name, dtype, (DoubleBuffer) elements, sizes);
    } else {
      return false;
    }
    return true;
  }

  private static void setArray(
      Inputs inputs, int input, String name, Dtype dtype, Object elements, int[] sizes) {
    if (elements instanceof boolean[]) {
      inputs.set(input, name, dtype, (boolean[]) elements, sizes);
    } else if (elements instanceof byte[]) {
      inputs.set(input, name, dtype, (byte[]) elements, sizes);
    } else if (elements instanceof short[]) {
      inputs.set(input, name, dtype, (short[]) elements, sizes);
    } else if (elements instanceof int[]) {
      inputs.set(input, name, dtype, (int[]) elements, sizes);
    } else if (elements instanceof long[]) {
      inputs.set(input, name, dtype, (long[]) elements, sizes);
    } else if (elements instanceof float[]) {
      inputs.set(input, name, dtype, (float[]) elements, sizes);
    } else {
      inputs.set(input, name, dtype, (double[]) elements, sizes);
    }
  }

  /** Returns a copy of a tensor. */
  static Tensor<?> get(Outputs outputs, int output, Dtype dtype, int[] dimOrder) {
    Class<?> type = dtype.arrayType();
    if (type == boolean[].class) {
      return outputs.getBooleans(output, dtype, dimOrder);
    } else if (type == byte[].class) {
      return outputs.getBytes(output, dtype, dimOrder);
    } else if (type == short[].class) {
      return outputs.getShorts(output, dtype, dimOrder);
    } else if (type == int[].class) {
      return outputs.getInts(output, dtype, dimOrder);
    } else if (type == long[].class) {
      return outputs.getLongs(output, dtype, dimOrder);
    } else if (type == float[].class) {
      return outputs.getFloats(output, dtype, dimOrder);
    }
    return outputs.getDoubles(output, dtype, dimOrder);
  }
}
