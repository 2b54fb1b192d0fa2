package benchmarks;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Compares calls through generated classes with the same calls in C. */
final class JavaCalls {
  private static final int ROUNDS = 200;
  private static final int CALLS = 2000;
  private static final int NET_ROUNDS = 60;
  private static final int IMAGE_ELEMENTS = 3 * 224 * 224;

  private JavaCalls() {}

  private static native int load();

  private static native long cpuTime();

  private static native long addInC(int count);

  private static native long classifyInC();

  private static FloatBuffer direct(int count) {
    return ByteBuffer.allocateDirect(4 * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  private static long time(int count, Runnable call) {
    long begin = cpuTime();
    for (int i = 0; i < count; i++) {
      call.run();
    }
    return cpuTime() - begin;
  }

  /** Runs all sides alternately, and returns the minimum of each. */
  private static long[] minima(int rounds, LongSupplier... sides) {
    long[] minima = new long[sides.length];
    Arrays.fill(minima, Long.MAX_VALUE);
    for (int round = 0; round < rounds; round++) {
      for (int side = 0; side < sides.length; side++) {
        minima[side] = Math.min(minima[side], sides[side].getAsLong());
      }
    }
    return minima;
  }

  private static void compareAdditions() {
    try (Add net = Add.load()) {
      float[] a = new float[9];
      float[] b = new float[9];
      FloatBuffer directA = direct(9);
      FloatBuffer directB = direct(9);
      FloatBuffer sum = direct(9);
      long[] found =
          minima(
              ROUNDS,
              () -> addInC(CALLS),
              () -> time(CALLS, () -> net.forwardInto(directA, directB, sum)),
              () -> time(CALLS, () -> net.forward(a, b)));
      double[] each = Arrays.stream(found).mapToDouble(total -> (double) total / CALLS).toArray();
      System.out.printf(
          Locale.ROOT,
          "addition: C %.1f ns, direct buffers +%.1f ns, arrays +%.1f ns%n",
          each[0], each[1] - each[0], each[2] - each[0]);
    }
  }

  private static void compareClassifiers() {
    try (MobileNet net = MobileNet.load()) {
      float[] image = new float[IMAGE_ELEMENTS];
      for (int i = 0; i < image.length; i++) {
        image[i] = i % 255 / 255f;
      }
      FloatBuffer directImage = direct(IMAGE_ELEMENTS);
      directImage.put(image).flip();
      FloatBuffer scores = direct(1000);
      long[] found =
          minima(
              NET_ROUNDS,
              JavaCalls::classifyInC,
              () -> time(1, () -> net.forwardInto(directImage, scores)),
              () -> time(1, () -> net.forward(image)));
      System.out.printf(
          Locale.ROOT,
          "MobileNetV2: C %.3f ms, direct buffers %.3f times as long, arrays %.3f times%n",
          found[0] / 1e6, (double) found[1] / found[0], (double) found[2] / found[0]);
    }
  }

  public static void main(String[] arguments) {
    System.load(Paths.get(arguments[0]).toAbsolutePath().toString());
    if (load() != 0) {
      throw new IllegalStateException("the models cannot be loaded in C");
    }
    compareAdditions();
    compareClassifiers();
  }
}
