package tests.java;

import static tests.java.Testing.direct;
import static tests.java.Testing.empty;
import static tests.java.Testing.equal;
import static tests.java.Testing.fails;
import static tests.java.Testing.thrown;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.executorch.bazel.Status;
import org.executorch.bazel.Tensor;
import tests.models.BorrowedInputs;
import tests.models.IntegerInputs;
import tests.models.OneRow;
import tests.models.TwoDynamicSizes;

/** Tests arrays and buffers as inputs and outputs. */
final class InputsTest {
  private static final float[] ROW = {1, 2, 3, 4, 5, 6, 7, 8};

  private InputsTest() {}

  static void testAllKindsOfBuffersHaveTheResultsOfArrays() {
    try (OneRow net = OneRow.load()) {
      float[] expected = net.forward(ROW).getArray();
      FloatBuffer large = empty(20);
      large.position(5);
      large.put(ROW).flip().position(5);
      ByteBuffer bigEndian = ByteBuffer.allocate(32).order(ByteOrder.BIG_ENDIAN);
      bigEndian.asFloatBuffer().put(ROW);
      ByteBuffer odd = ByteBuffer.allocateDirect(33);
      odd.position(1);
      FloatBuffer misaligned = odd.slice().order(ByteOrder.nativeOrder()).asFloatBuffer();
      misaligned.put(ROW).flip();
      FloatBuffer[] buffers = {
        direct(ROW),
        large,
        misaligned,
        direct(ROW).asReadOnlyBuffer(),
        FloatBuffer.wrap(ROW),
        FloatBuffer.wrap(ROW).asReadOnlyBuffer(),
        FloatBuffer.wrap(new float[] {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, 8),
        FloatBuffer.wrap(new float[] {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, 8).slice(),
        bigEndian.asFloatBuffer(),
      };
      for (FloatBuffer buffer : buffers) {
        int position = buffer.position();
        equal(net.forward(buffer).getArray(), expected);
        equal(buffer.position(), position);
      }
    }
  }

  static void testOutputsAreCopiedToBuffers() {
    try (OneRow net = OneRow.load()) {
      float[] expected = net.forward(ROW).getArray();
      for (FloatBuffer target : new FloatBuffer[] {empty(9), FloatBuffer.allocate(9)}) {
        target.position(3);
        net.forwardInto(direct(ROW), target);
        equal(target.limit(), 7);
        float[] found = new float[4];
        target.get(found);
        equal(found, expected);
        equal(target.get(2), 0f);
      }
    }
  }

  static void testUnusableTargetsAreRejectedBeforeTheRun() {
    try (OneRow net = OneRow.load()) {
      FloatBuffer x = direct(ROW);
      fails(
          Status.INVALID_ARGUMENT,
          "output_0: the buffer is read-only; pass a writable one",
          () -> net.forwardInto(x, empty(4).asReadOnlyBuffer()));
      fails(
          Status.INVALID_ARGUMENT,
          "output_0: the buffer has 3 elements left; pass at least 4",
          () -> net.forwardInto(x, empty(3)));
      fails(
          Status.INVALID_ARGUMENT,
          "output_0: the buffer is a view of a heap buffer; pass a direct buffer, or wrap an array",
          () -> net.forwardInto(x, ByteBuffer.allocate(16).asFloatBuffer()));
      fails(
          Status.INVALID_ARGUMENT,
          "output_0: the buffer's byte order is BIG_ENDIAN; call order(ByteOrder.nativeOrder()) on its ByteBuffer",
          () -> net.forwardInto(x, ByteBuffer.allocateDirect(16).asFloatBuffer()));
    }
  }

  static void testWrongCountsAreErrorsThatNameTheInput() {
    try (OneRow net = OneRow.load()) {
      for (int count : new int[] {0, 7, 9, 16}) {
        String message = "x: " + count + " elements; pass 8";
        fails(Status.INVALID_ARGUMENT, message, () -> net.forward(new float[count]));
        fails(Status.INVALID_ARGUMENT, message, () -> net.forward(empty(count)));
      }
      fails(
          Status.INVALID_ARGUMENT,
          "x: the buffer's byte order is BIG_ENDIAN; call order(ByteOrder.nativeOrder()) on its ByteBuffer",
          () -> net.forward(ByteBuffer.allocateDirect(32).asFloatBuffer()));
      equal(thrown(() -> net.forward((float[]) null)).getClass(), NullPointerException.class);
      equal(net.forward(ROW).getSizes(), new int[] {1, 4});
    }
  }

  static void testSizesAndIntegersOutOfRangeAreErrorsThatNameTheInput() {
    try (IntegerInputs net = IntegerInputs.load()) {
      fails(
          Status.INVALID_ARGUMENT, "x: 20 elements; pass a multiple of 3", () -> net.forward(new float[20], 1, 2, 5));
      fails(
          Status.NOT_SUPPORTED,
          "x: size 9 of dim 0 is out of range; pass 6 to 8",
          () -> net.forward(new float[27], 1, 2, 5));
      fails(
          Status.NOT_SUPPORTED,
          "x: size 9 of dim 0 is out of range; pass 6 to 8",
          () -> net.forward(empty(27), 1, 2, 5));
      fails(
          Status.NOT_SUPPORTED, "start: 4 is out of range; pass 0 to 3", () -> net.forward(new float[18], 4, 2, 5));
      equal(net.forward(new float[18], 3, 2, 5).getSizes(), new int[] {2, 2});
    }
  }

  static void testSizesMustMatchTheElements() {
    try (TwoDynamicSizes net = TwoDynamicSizes.load()) {
      float[] x = {1, 2, 3, 4, 5, 6};
      Tensor<float[]> rows = net.forward(x, new int[] {2, 3});
      equal(rows.getSizes(), new int[] {3, 2});
      equal(rows.getStrides(), new int[] {2, 1});
      equal(rows.getArray()[rows.position(2, 0)], 6f);
      equal(rows.toString(), "float32 [3, 2]");
      equal(thrown(() -> rows.position(3, 0)).getClass(), IndexOutOfBoundsException.class);
      equal(thrown(() -> rows.position(0)).getClass(), IndexOutOfBoundsException.class);
      fails(Status.INVALID_ARGUMENT, "x: 6 elements; pass 8", () -> net.forward(x, new int[] {2, 4}));
      fails(Status.INVALID_ARGUMENT, "x: 1 sizes; pass 2", () -> net.forward(x, new int[] {6}));
      fails(
          Status.INVALID_ARGUMENT,
          "x: size -2 is negative; pass 0 or more",
          () -> net.forward(x, new int[] {-2, -3}));
      fails(
          Status.INVALID_ARGUMENT,
          "x: 6 elements; pass 2147483648",
          () -> net.forward(x, new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE}));
      equal(thrown(() -> net.forward(new float[0], new int[] {0, 3})).getMessage(),
          "NOT_SUPPORTED: x: size 0 of dim 0 is out of range; pass 1 to 4");
    }
  }

  static void testUnplannedInputsAreCopied() {
    try (BorrowedInputs net = BorrowedInputs.load()) {
      for (float scale : new float[] {1, 2}) {
        float[] rows = new float[12];
        java.util.Arrays.fill(rows, scale);
        BorrowedInputs.ForwardOutputs outputs =
            scale == 1
                ? net.forward(rows, new float[4])
                : net.forward(direct(rows), FloatBuffer.wrap(new float[4]));
        equal(outputs.getSum().getSizes(), new int[] {3, 4});
        equal(outputs.getSum().getArray(), rows);
        equal(outputs.getRows().getArray(), rows);
      }
      net.reset();
      Exception error = thrown(() -> net.forward(empty(4000), empty(4)));
      Testing.check(error.getMessage().startsWith("NOT_SUPPORTED: rows: size 1000 of dim 0 "), error);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(InputsTest.class);
  }
}
