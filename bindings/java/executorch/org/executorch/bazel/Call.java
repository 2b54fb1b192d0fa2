package org.executorch.bazel;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * For generated classes: one call of a method. Set all inputs, run, then read the outputs.
 *
 * <p>Only the thread that holds the lock of the {@link Methods} uses the object.
 */
public final class Call {
  /** A size that is computed from the number of elements. */
  public static final int DYNAMIC = -1;

  /** Values of et_java_source. */
  private static final int INT = 1;

  private static final int ARRAY = 2;
  private static final int DIRECT = 3;

  /** Values of et_value_tag. */
  private static final int TAG_INT = 2;

  private static final int TAG_BOOL = 3;
  private static final int TAG_DOUBLE = 4;
  private static final int TAG_TENSOR = 5;

  private final Frame frame;
  private final int method;
  private final int firstInput;
  private final int firstOutput;
  private final Object[] tensors;
  private final String[] names;
  private Methods methods;

  Call(Frame frame, int method, int firstInput, int inputCount) {
    this.frame = frame;
    this.method = method;
    this.firstInput = firstInput;
    this.firstOutput = firstInput + inputCount;
    this.tensors = new Object[inputCount];
    this.names = new String[inputCount];
  }

  void attach(Methods owner) {
    methods = owner;
  }

  /** Ends the call. */
  public void end() {
    Arrays.fill(tensors, null);
    Methods owner = methods;
    owner.unlock();
    Reference.reachabilityFence(owner);
  }

  /** Runs the method. */
  public void run() {
    check(methods.natives().run(methods.address(), method, tensors));
  }

  private void check(int status) {
    if (status != 0) {
      throw frame.failure(names);
    }
  }

  // ---- Inputs ----

  /** Sets an integer. */
  public void setInt(int input, String name, long value) {
    names[input] = name;
    frame.put(firstInput + input, Frame.KIND, INT);
    frame.put(firstInput + input, Frame.VALUE, value);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, boolean[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, byte[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, short[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, int[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, long[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, float[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor. The elements are copied. */
  public void set(int input, String name, Dtype dtype, double[] elements, int[] sizes) {
    setTensor(input, name, dtype, ARRAY, elements, 0, elements.length, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, ByteBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray() && dtype != Dtype.BOOL) {
      setBuffer(input, name, dtype, elements, ByteOrder.nativeOrder(), sizes);
      return;
    }
    byte[] copy = new byte[elements.remaining()];
    elements.duplicate().get(copy);
    if (dtype == Dtype.BOOL) {
      set(input, name, dtype, toBooleans(name, copy), sizes);
    } else {
      set(input, name, dtype, copy, sizes);
    }
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, ShortBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    short[] copy = new short[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, IntBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    int[] copy = new int[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, LongBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    long[] copy = new long[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, FloatBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    float[] copy = new float[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  /** Sets a tensor to the elements from the buffer's position to its limit. */
  public void set(int input, String name, Dtype dtype, DoubleBuffer elements, int[] sizes) {
    if (elements.isDirect() || elements.hasArray()) {
      setBuffer(input, name, dtype, elements, elements.order(), sizes);
      return;
    }
    double[] copy = new double[elements.remaining()];
    elements.duplicate().get(copy);
    set(input, name, dtype, copy, sizes);
  }

  private void setBuffer(
      int input, String name, Dtype dtype, Buffer elements, ByteOrder order, int[] sizes) {
    checkOrder(name, order);
    // Another thread can change the position and the limit, but neither exceeds the capacity.
    int begin = elements.position();
    int count = elements.limit() - begin;
    if (elements.isDirect()) {
      setTensor(input, name, dtype, DIRECT, elements, begin, count, sizes);
    } else {
      int start = elements.arrayOffset() + begin;
      setTensor(input, name, dtype, ARRAY, elements.array(), start, count, sizes);
    }
  }

  private static boolean[] toBooleans(String name, byte[] bytes) {
    boolean[] booleans = new boolean[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != 0 && bytes[i] != 1) {
        throw invalid(name + ": element " + i + " is " + bytes[i] + "; pass 0 or 1");
      }
      booleans[i] = bytes[i] == 1;
    }
    return booleans;
  }

  private static void checkOrder(String name, ByteOrder order) {
    if (order != ByteOrder.nativeOrder()) {
      throw new ExecutorchException(
          Status.INVALID_ARGUMENT,
          name + ": the buffer's byte order is " + order + "; call order(ByteOrder.nativeOrder()) on its ByteBuffer");
    }
  }

  private void setTensor(
      int input, String name, Dtype dtype, int kind, Object tensor, int begin, int count, int[] sizes) {
    names[input] = name;
    int slot = firstInput + input;
    if (sizes.length > Frame.MAX_RANK) {
      throw invalid(name + ": " + sizes.length + " sizes; pass at most " + Frame.MAX_RANK);
    }
    long others = dtype.getParts();
    int dynamic = -1;
    for (int dim = 0; dim < sizes.length; dim++) {
      frame.put(slot, Frame.SIZES + dim, sizes[dim]);
      if (sizes[dim] == DYNAMIC) {
        dynamic = dim;
      } else {
        others = multiply(name, others, sizes[dim]);
      }
    }
    if (dynamic >= 0) {
      long size = others == 0 ? 0 : count / others;
      if (size * others != count) {
        throw invalid(name + ": " + count + " elements; pass a multiple of " + others);
      }
      frame.put(slot, Frame.SIZES + dynamic, size);
    } else if (others != count) {
      throw invalid(name + ": " + count + " elements; pass " + others);
    }
    frame.put(slot, Frame.KIND, kind);
    frame.put(slot, Frame.DTYPE, dtype.code());
    frame.put(slot, Frame.VALUE, begin);
    frame.put(slot, Frame.COUNT, count / dtype.getParts());
    frame.put(slot, Frame.RANK, sizes.length);
    tensors[input] = tensor;
  }

  /** Multiplies sizes. A negative size, and a product above that of the largest array, is invalid. */
  private static long multiply(String name, long product, int size) {
    if (size < 0) {
      throw invalid(name + ": size " + size + " is negative; pass 0 or more");
    }
    return Math.min(product * size, Integer.MAX_VALUE + 1L);
  }

  private static ExecutorchException invalid(String message) {
    return new ExecutorchException(Status.INVALID_ARGUMENT, message);
  }

  /** Checks the sizes that a caller passes for a tensor with several dynamic sizes. */
  public static int[] checkSizes(String name, int[] sizes, int rank) {
    if (sizes.length != rank) {
      throw invalid(name + ": " + sizes.length + " sizes; pass " + rank);
    }
    for (int size : sizes) {
      multiply(name, 1, size);
    }
    return sizes.clone();
  }

  // ---- Outputs ----

  private int checkKind(int output, int tag) {
    int slot = firstOutput + output;
    if (frame.get(slot, Frame.KIND) != tag) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          "outputs[" + output + "] has another kind; the program differs from the model");
    }
    return slot;
  }

  /** Returns an integer. */
  public long getInt(int output) {
    return frame.get(checkKind(output, TAG_INT), Frame.VALUE);
  }

  /** Returns a boolean. */
  public boolean getBool(int output) {
    return frame.get(checkKind(output, TAG_BOOL), Frame.VALUE) != 0;
  }

  /** Returns a float. */
  public double getDouble(int output) {
    return Double.longBitsToDouble(frame.get(checkKind(output, TAG_DOUBLE), Frame.VALUE));
  }

  /** Returns a string. */
  public String getString(int output) {
    byte[] bytes = methods.natives().text(methods.address(), method, output);
    if (bytes == null) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          "outputs[" + output + "] has another kind; the program differs from the model");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Checks the type of an output, and returns the number of its Java elements. */
  private int checkTensor(int output, Dtype dtype, int rank) {
    int slot = checkKind(output, TAG_TENSOR);
    if (frame.get(slot, Frame.DTYPE) != dtype.code() || frame.get(slot, Frame.RANK) != rank) {
      throw new ExecutorchException(
          Status.INVALID_TYPE,
          "outputs[" + output + "] is not a " + dtype + " tensor with " + rank
              + " dims; the program differs from the model");
    }
    long count = frame.get(slot, Frame.COUNT) * dtype.getParts();
    if (count > Integer.MAX_VALUE) {
      throw new ExecutorchException(
          Status.NOT_SUPPORTED, "outputs[" + output + "] has " + count + " elements; Java arrays have fewer");
    }
    return (int) count;
  }

  private <A> Tensor<A> tensor(int output, Dtype dtype, int[] dimOrder, A array) {
    check(methods.natives().read(methods.address(), method, output, array, 0, false));
    int[] sizes = new int[dimOrder.length];
    int[] strides = new int[dimOrder.length];
    for (int dim = 0; dim < sizes.length; dim++) {
      sizes[dim] = (int) frame.get(firstOutput + output, Frame.SIZES + dim);
    }
    int stride = 1;
    for (int i = dimOrder.length - 1; i >= 0; i--) {
      strides[dimOrder[i]] = stride;
      stride *= Math.max(sizes[dimOrder[i]], 1);
    }
    return new Tensor<>(array, dtype, sizes, strides);
  }

  /** Returns a copy of a tensor. */
  public Tensor<boolean[]> getBooleans(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new boolean[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<byte[]> getBytes(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new byte[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<short[]> getShorts(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new short[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<int[]> getInts(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new int[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<long[]> getLongs(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new long[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<float[]> getFloats(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new float[count]);
  }

  /** Returns a copy of a tensor. */
  public Tensor<double[]> getDoubles(int output, Dtype dtype, int[] dimOrder) {
    int count = checkTensor(output, dtype, dimOrder.length);
    return tensor(output, dtype, dimOrder, new double[count]);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, ByteBuffer target, int count) {
    checkTarget(name, target, ByteOrder.nativeOrder(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, ShortBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, IntBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, LongBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, FloatBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  /** Checks a buffer for an output, before the method runs. */
  public static void checkTarget(String name, DoubleBuffer target, int count) {
    checkTarget(name, target, target.order(), count);
  }

  private static void checkTarget(String name, Buffer target, ByteOrder order, int count) {
    if (target.isReadOnly()) {
      throw invalid(name + ": the buffer is read-only; pass a writable one");
    }
    if (!target.isDirect() && !target.hasArray()) {
      throw invalid(name + ": the buffer is a view of a heap buffer; pass a direct buffer, or wrap an array");
    }
    checkOrder(name, order);
    checkRemaining(name, target.remaining(), count);
  }

  private static void checkRemaining(String name, int remaining, int count) {
    if (remaining < count) {
      throw invalid(name + ": the buffer has " + remaining + " elements left; pass at least " + count);
    }
  }

  /** Copies a tensor to a buffer that {@code checkTarget} has accepted, and sets the buffer's limit to the end of the elements. */
  public void copyTo(int output, String name, Dtype dtype, int rank, Buffer target) {
    int count = checkTensor(output, dtype, rank);
    int begin = target.position();
    checkRemaining(name, target.limit() - begin, count);
    if (target.isDirect()) {
      check(methods.natives().read(methods.address(), method, output, target, begin, true));
    } else if (dtype == Dtype.BOOL) {
      boolean[] booleans = new boolean[count];
      check(methods.natives().read(methods.address(), method, output, booleans, 0, false));
      for (int i = 0; i < count; i++) {
        ((ByteBuffer) target).put(begin + i, (byte) (booleans[i] ? 1 : 0));
      }
    } else {
      int start = target.arrayOffset() + begin;
      check(methods.natives().read(methods.address(), method, output, target.array(), start, false));
    }
    target.limit(begin + count);
  }
}
