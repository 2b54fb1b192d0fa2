package tests.languages;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.executorch.bazel.Data;
import org.executorch.bazel.Tensor;

/**
 * Inputs and outputs of the driver in Java. {@code calls.py} describes the format.
 *
 * <p>Every second call uses buffers; the others use arrays. The system property {@code buffers_first}
 * selects the first call.
 */
final class DriverIo {
  private final ByteBuffer calls;
  private final Path outputsPath;
  private final Data[] files;
  private final ByteArrayOutputStream outputs = new ByteArrayOutputStream();
  private boolean hasBuffers = !Boolean.getBoolean("buffers_first");

  DriverIo(String[] arguments) throws IOException {
    calls = ByteBuffer.wrap(Files.readAllBytes(Paths.get(arguments[1]))).order(ByteOrder.LITTLE_ENDIAN);
    outputsPath = Paths.get(arguments[2]);
    files = new Data[arguments.length - 3];
    for (int i = 0; i < files.length; i++) {
      files[i] = Data.of(Paths.get(arguments[3 + i]));
    }
  }

  Data[] files() {
    return files;
  }

  boolean hasBuffers() {
    return hasBuffers;
  }

  /** Returns the index of the method of the next call, or -1. */
  int nextCall() {
    hasBuffers = !hasBuffers;
    return calls.hasRemaining() ? calls.getInt() : -1;
  }

  Input read() {
    int[] sizes = new int[calls.getInt()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = calls.getInt();
    }
    byte[] bytes = new byte[(int) calls.getLong()];
    calls.get(bytes);
    ByteBuffer buffer = allocate(bytes.length);
    buffer.put(bytes).flip();
    return new Input(sizes, buffer);
  }

  static ByteBuffer allocate(int size) {
    return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
  }

  /** The sizes and bytes of an argument. */
  static final class Input {
    private final int[] sizes;
    private final ByteBuffer buffer;

    private Input(int[] sizes, ByteBuffer buffer) {
      this.sizes = sizes;
      this.buffer = buffer;
    }

    int[] sizes() {
      return sizes;
    }

    long value() {
      return buffer.getLong(0);
    }

    ByteBuffer byteBuffer() {
      return buffer;
    }

    ByteBuffer booleanBuffer() {
      return buffer;
    }

    ShortBuffer shortBuffer() {
      return buffer.asShortBuffer();
    }

    IntBuffer intBuffer() {
      return buffer.asIntBuffer();
    }

    LongBuffer longBuffer() {
      return buffer.asLongBuffer();
    }

    FloatBuffer floatBuffer() {
      return buffer.asFloatBuffer();
    }

    DoubleBuffer doubleBuffer() {
      return buffer.asDoubleBuffer();
    }

    boolean[] booleans() {
      boolean[] array = new boolean[buffer.remaining()];
      for (int i = 0; i < array.length; i++) {
        array[i] = buffer.get(i) != 0;
      }
      return array;
    }

    byte[] bytes() {
      byte[] array = new byte[buffer.remaining()];
      buffer.duplicate().get(array);
      return array;
    }

    short[] shorts() {
      short[] array = new short[buffer.remaining() / Short.BYTES];
      shortBuffer().get(array);
      return array;
    }

    int[] ints() {
      int[] array = new int[buffer.remaining() / Integer.BYTES];
      intBuffer().get(array);
      return array;
    }

    long[] longs() {
      long[] array = new long[buffer.remaining() / Long.BYTES];
      longBuffer().get(array);
      return array;
    }

    float[] floats() {
      float[] array = new float[buffer.remaining() / Float.BYTES];
      floatBuffer().get(array);
      return array;
    }

    double[] doubles() {
      double[] array = new double[buffer.remaining() / Double.BYTES];
      doubleBuffer().get(array);
      return array;
    }
  }

  void write(int[] sizes, ByteBuffer bytes) {
    ByteBuffer head = ByteBuffer.allocate(4 * (1 + sizes.length) + 8).order(ByteOrder.LITTLE_ENDIAN);
    head.putInt(sizes.length);
    for (int size : sizes) {
      head.putInt(size);
    }
    head.putLong(bytes.remaining());
    outputs.writeBytes(head.array());
    byte[] content = new byte[bytes.remaining()];
    bytes.duplicate().get(content);
    outputs.writeBytes(content);
  }

  void write(Tensor<?> tensor) {
    int count = Array.getLength(tensor.getArray());
    ByteBuffer bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      put(bytes, Array.get(tensor.getArray(), i));
    }
    bytes.flip();
    write(tensor.getSizes(), bytes);
  }

  private static void put(ByteBuffer bytes, Object element) {
    if (element instanceof Boolean) {
      bytes.put((byte) ((Boolean) element ? 1 : 0));
    } else if (element instanceof Byte) {
      bytes.put((Byte) element);
    } else if (element instanceof Short) {
      bytes.putShort((Short) element);
    } else if (element instanceof Integer) {
      bytes.putInt((Integer) element);
    } else if (element instanceof Long) {
      bytes.putLong((Long) element);
    } else if (element instanceof Float) {
      bytes.putInt(Float.floatToRawIntBits((Float) element));
    } else {
      bytes.putLong(Double.doubleToRawLongBits((Double) element));
    }
  }

  void write(long value) {
    write(new int[0], ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value));
  }

  void write(boolean value) {
    write(new int[0], ByteBuffer.wrap(new byte[] {(byte) (value ? 1 : 0)}));
  }

  void write(double value) {
    write(Double.doubleToRawLongBits(value));
  }

  void write(String value) {
    write(new int[0], ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
  }

  void close() throws IOException {
    Files.write(outputsPath, outputs.toByteArray());
  }
}
