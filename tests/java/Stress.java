package tests.java;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tests.models.OneRow;

/**
 * Calls a model many times, and fails if the resident memory grows: {@code Stress CALLS LOADS THREADS}.
 *
 * <p>The first half of each kind is a warm-up: the Java heap and direct buffers grow until the first
 * collections.
 */
final class Stress {
  private static final float[] ROW = {1, 2, 3, 4, 5, 6, 7, 8};

  /** More than allocators and the Java heap vary by. */
  private static final long LIMIT_KIB = 24 * 1024;

  private Stress() {}

  /** An action that receives the number of its call. */
  interface Action {
    void run(long index) throws Exception;
  }

  private static long residentKib() throws IOException {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return 0;
  }

  private static void repeat(String name, long count, Action action) throws Exception {
    long before = 0;
    for (long i = 0; i < count; i++) {
      if (i == count / 2) {
        before = residentKib();
      }
      action.run(i);
    }
    long growth = residentKib() - before;
    System.out.println(name + ": " + count + " times, memory grew by " + growth + " KiB");
    if (growth > LIMIT_KIB) {
      throw new AssertionError(name + ": memory grew by " + growth + " KiB");
    }
  }

  private static void check(float[] found, float[] expected) {
    if (!Arrays.equals(found, expected)) {
      throw new AssertionError("the result differs");
    }
  }

  private static void callInThreads(String name, long count, int threadCount, boolean share) throws Exception {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    OneRow shared = OneRow.load();
    for (int i = 0; i < threadCount; i++) {
      float[] x = ROW.clone();
      x[0] = i;
      float[] expected = shared.forward(x).getArray();
      Thread thread = new Thread(() -> {
        try (OneRow own = share ? null : OneRow.load()) {
          for (long call = 0; call < count / threadCount; call++) {
            check((share ? shared : own).forward(x).getArray(), expected);
          }
        } catch (Throwable failure) {
          synchronized (failures) {
            failures.add(failure);
          }
        }
      });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    shared.close();
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.get(0));
    }
    System.out.println(name + ": " + count + " calls in " + threadCount + " threads");
  }

  public static void main(String[] arguments) throws Exception {
    long calls = Long.parseLong(arguments[0]);
    long loads = Long.parseLong(arguments[1]);
    int threads = Integer.parseInt(arguments[2]);
    try (OneRow net = OneRow.load()) {
      float[] expected = net.forward(ROW).getArray();
      repeat("arrays", calls / 2, i -> check(net.forward(ROW).getArray(), expected));
      FloatBuffer x = Testing.direct(ROW);
      FloatBuffer target = Testing.empty(4);
      repeat("direct buffers", calls / 2, i -> net.forwardInto(x, target));
      repeat("failures", calls / 100, i -> Testing.thrown(() -> net.forward(new float[7])));
    }
    repeat("loads", loads, i -> {
      try (OneRow net = OneRow.load()) {
        net.forward(ROW);
      }
    });
    repeat("loads without close", loads, i -> {
      OneRow.load().forward(ROW);
      if (i % 100 == 0) {
        System.gc();
      }
    });
    callInThreads("one object", calls / 10, threads, true);
    callInThreads("own objects", calls / 10, threads, false);
  }
}
