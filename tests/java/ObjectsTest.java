package tests.java;

import static tests.java.Testing.check;
import static tests.java.Testing.equal;
import static tests.java.Testing.fails;
import static tests.java.Testing.thrown;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.executorch.bazel.Data;
import org.executorch.bazel.ExecutorchException;
import org.executorch.bazel.Options;
import org.executorch.bazel.Status;
import tests.models.Convolutions;
import tests.models.External;
import tests.models.IntegerInputs;
import tests.models.KvCacheDecoder;
import tests.models.Noise;
import tests.models.OneRow;

/** Tests loading, options, threads and the end of objects. */
final class ObjectsTest {
  private static final float[] ROW = {1, 2, 3, 4, 5, 6, 7, 8};

  private ObjectsTest() {}

  private static Path path(String variable) {
    return Paths.get(System.getenv(variable));
  }

  private static Path temporary(String name) {
    return Paths.get(System.getenv("TEST_TMPDIR"), name);
  }

  private static float[] convolve(Options options) {
    float[] image = new float[17 * 19 * 3];
    for (int i = 0; i < image.length; i++) {
      image[i] = 0.01f * (i % 97);
    }
    try (Convolutions net = Convolutions.load(options)) {
      float[] first = net.forward(image).getArray();
      equal(net.forward(image).getArray(), first);
      return first;
    }
  }

  static void testClosedObjectsThrow() {
    OneRow net = OneRow.load();
    net.close();
    net.close();
    for (Testing.Action action : new Testing.Action[] {() -> net.forward(ROW), net::reset}) {
      Exception error = thrown(action);
      equal(error.getClass(), IllegalStateException.class);
      equal(error.getMessage(), "OneRow is closed; load another object");
    }
  }

  static void testUnreachableObjectsAreFreed() throws Exception {
    for (int i = 0; i < 200; i++) {
      OneRow.load().forward(ROW);
    }
    System.gc();
  }

  static void testObjectsCloseAfterCallsOfOtherThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    for (int round = 0; round < 20; round++) {
      OneRow net = OneRow.load();
      float[] expected = net.forward(ROW).getArray();
      List<Future<Integer>> found = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        found.add(threads.submit(() -> callUntilClosed(net, expected)));
      }
      Thread.sleep(2);
      net.close();
      for (Future<Integer> calls : found) {
        check(calls.get() >= 0, calls);
      }
    }
    threads.shutdown();
  }

  private static int callUntilClosed(OneRow net, float[] expected) {
    for (int count = 0; ; count++) {
      try {
        equal(net.forward(ROW).getArray(), expected);
      } catch (IllegalStateException error) {
        return count;
      }
    }
  }

  static void testThreadsShareAnObject() throws Exception {
    try (OneRow net = OneRow.load()) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        float[] x = ROW.clone();
        x[0] = i;
        float[] expected = net.forward(x).getArray();
        tasks.add(
            () -> {
              for (int call = 0; call < 2000; call++) {
                equal(net.forward(x).getArray(), expected);
              }
              return null;
            });
      }
      ExecutorService threads = Executors.newFixedThreadPool(16);
      for (Future<Void> result : threads.invokeAll(tasks)) {
        result.get();
      }
      threads.shutdown();
    }
  }

  static void testResetRestoresTheState() {
    try (KvCacheDecoder net = KvCacheDecoder.load()) {
      long[] prompt = {3, 1, 4, 1, 5, 9};
      long[] positions = {0, 1, 2, 3, 4, 5};
      net.prefill(prompt, positions);
      float[] first = net.decode(new long[] {2}, new long[] {6}).getArray();
      net.reset();
      float[] empty = net.decode(new long[] {2}, new long[] {6}).getArray();
      check(!Arrays.equals(first, empty), "the state was not reset");
      net.reset();
      net.prefill(prompt, positions);
      equal(net.decode(new long[] {2}, new long[] {6}).getArray(), first);
    }
  }

  static void testResultsDoNotDependOnTheNumberOfThreads() {
    float[] expected = convolve(new Options());
    for (int count : new int[] {1, 2, 4}) {
      equal(convolve(new Options().threads(count)), expected);
    }
    for (int count : new int[] {0, -1, 65}) {
      equal(thrown(() -> new Options().threads(count)).getMessage(), "threads: " + count + "; pass 1 to 64");
    }
  }

  static void testBackendsReceiveTheirOptions() {
    Options options =
        new Options().backendOption("Other", "isa", 7).backendOption("CpuBackend", "isa", "none");
    check(thrown(() -> convolve(options)).getMessage().contains("option 'isa' must be plain, "), "isa");
    options.backendOption("CpuBackend", "isa", true);
    check(thrown(() -> convolve(options)).getMessage().contains("option 'isa' must be a string"), "isa");
    options.backendOption("CpuBackend", "isa", "plain").backendOption("Another", "key", 0.5);
    convolve(options);
    equal(thrown(() -> options.backendOption("CpuBackend", "isa", 'c')).getClass(), IllegalArgumentException.class);
    equal(thrown(() -> options.backendOption("a\0", "isa", 1)).getClass(), IllegalArgumentException.class);
  }

  static void testRandomNumbersNeedASeed() {
    try (Noise net = Noise.load();
        Noise first = Noise.load(new Options().randomSeed(7));
        Noise second = Noise.load(new Options().randomSeed(7))) {
      thrown(() -> net.forward(new float[4]));
      float[] numbers = first.forward(new float[4]).getArray();
      equal(second.forward(new float[4]).getArray(), numbers);
      check(!Arrays.equals(first.forward(new float[4]).getArray(), numbers), "the numbers repeat");
    }
  }

  static void testInstructionsOfACallAreLimited() {
    try (IntegerInputs net = IntegerInputs.load(new Options().maxSteps(1))) {
      Exception error = thrown(() -> net.forward(new float[18], 1, 2, 5));
      equal(((ExecutorchException) error).getStatus(), Status.OUT_OF_RESOURCES);
    }
  }

  static void testFilesCanBePathsAndBuffers() throws Exception {
    byte[] program = Files.readAllBytes(path("PROGRAM"));
    byte[] weights = Files.readAllBytes(path("WEIGHTS"));
    ByteBuffer shifted = ByteBuffer.allocateDirect(program.length + 3);
    shifted.position(3);
    shifted.put(program).position(3);
    float[] expected;
    try (OneRow net = OneRow.load()) {
      expected = net.forward(ROW).getArray();
    }
    try (FileChannel channel = FileChannel.open(path("PROGRAM"))) {
      Data[] programs = {
        Data.of(path("PROGRAM")),
        Data.of(ByteBuffer.wrap(program)),
        Data.of(shifted),
        Data.of(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size())),
      };
      for (Data data : programs) {
        try (External net = External.load(data, Data.of(ByteBuffer.wrap(weights)))) {
          System.gc();
          equal(net.forward(ROW).getArray(), expected);
        }
      }
    }
  }

  static void testDamagedFilesAreErrors() throws Exception {
    byte[] program = Files.readAllBytes(path("PROGRAM"));
    Data weights = Data.of(path("WEIGHTS"));
    Path file = temporary("truncated.pte");
    for (int size : new int[] {8, program.length / 2, program.length - 1}) {
      Files.write(file, Arrays.copyOf(program, size));
      Exception error = thrown(() -> External.load(Data.of(file), weights));
      check(error.getMessage().matches("INVALID_(PROGRAM|ARGUMENT): " + file + ": .*"), error);
    }
    for (int size : new int[] {0, 3, 7}) {
      Files.write(file, Arrays.copyOf(program, size));
      fails(
          Status.ACCESS_FAILED,
          file + ": a file of " + size + " bytes is too short; pass the path of a .pte or .ptd file",
          () -> External.load(Data.of(file), weights));
      thrown(() -> External.load(Data.of(ByteBuffer.wrap(Arrays.copyOf(program, size))), weights));
    }
    byte[] damaged = Files.readAllBytes(path("WEIGHTS"));
    damaged[damaged.length - 1] ^= 1;
    Path other = Files.write(temporary("damaged.ptd"), damaged);
    Exception error = thrown(() -> External.load(Data.of(path("PROGRAM")), Data.of(other)));
    check(error.getMessage().startsWith("INVALID_EXTERNAL_DATA: " + other + ": named_data["), error);
    fails(
        Status.ACCESS_FAILED,
        "/missing.pte: No such file or directory; pass the path of a .pte or .ptd file",
        () -> External.load(Data.of(Paths.get("/missing.pte")), weights));
    fails(
        Status.ACCESS_FAILED,
        "missing.pte: no such resource; add it to the jar",
        () -> Data.resource(ObjectsTest.class, "missing.pte"));
  }

  static void testAnotherProgramIsAnError() {
    Exception error =
        thrown(
            () -> {
              try (External net = External.load(Data.of(path("OTHER_PROGRAM")), Data.of(path("WEIGHTS")))) {
                net.forward(ROW);
              }
            });
    check(error instanceof ExecutorchException, error);
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(ObjectsTest.class);
  }
}
