package tests.java;

import static tests.java.Testing.check;
import static tests.java.Testing.direct;
import static tests.java.Testing.equal;
import static tests.java.Testing.fails;
import static tests.java.Testing.thrown;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.executorch.bazel.Data;
import org.executorch.bazel.Dtype;
import org.executorch.bazel.ExecutorchException;
import org.executorch.bazel.Method;
import org.executorch.bazel.Options;
import org.executorch.bazel.Program;
import org.executorch.bazel.Results;
import org.executorch.bazel.Signature;
import org.executorch.bazel.Status;
import org.executorch.bazel.Tensor;
import org.executorch.bazel.ValueInfo;

/** Tests programs that are not known when the app is built. */
final class ProgramTest {
  private static final float[] ROW = {1, 2, 3, 4, 5, 6, 7, 8};

  private ProgramTest() {}

  private static Path path(String variable) {
    return Paths.get(System.getenv(variable));
  }

  private static Program open(String variable) {
    return Program.open(Data.of(path(variable)));
  }

  private static Program openExternal() {
    return Program.open(Data.of(path("PROGRAM")), Data.of(path("WEIGHTS")));
  }

  static void testSignaturesHaveKindsDtypesAndRanges() {
    Program program = open("INTEGER_INPUTS");
    equal(program.getMethodNames(), List.of("forward"));
    Signature signature = program.signature("forward");
    equal(signature.getName(), "forward");
    List<ValueInfo> inputs = signature.getInputs();
    equal(inputs.get(0).getName(), "inputs[0]");
    equal(inputs.get(0).getDtype(), Dtype.FLOAT32);
    equal(inputs.get(0).getSizes().get(0).getMin(), 6L);
    equal(inputs.get(0).getSizes().get(0).getMax(), 8L);
    equal(inputs.get(0).getSizes().get(1).getStep(), 0L);
    equal(inputs.get(1).getKind(), ValueInfo.Kind.INT);
    equal(inputs.get(1).getRange().toString(), "0 to 3");
    check(signature.toString().startsWith("forward(float32 [6 to 8, 3], int 0 to 3, "), signature);
    equal(thrown(() -> inputs.get(1).getDtype()).getMessage(), "inputs[1] is not a tensor");
    equal(thrown(() -> inputs.get(0).getRange()).getMessage(), "inputs[0] is not an integer input");
  }

  static void testArraysBuffersAndTensorsHaveTheSameResults() {
    try (Method method = openExternal().method("forward")) {
      float[] expected = method.run(ROW).getTensor(0, float[].class).getArray();
      Object[] inputs = {direct(ROW), java.nio.FloatBuffer.wrap(ROW), Tensor.of(Dtype.FLOAT32, ROW, 1, 8)};
      for (Object input : inputs) {
        Results results = method.run(input);
        equal(results.size(), 1);
        equal(results.getTensor(0, float[].class).getArray(), expected);
        equal(results.getTensor(0, float[].class).getSizes(), new int[] {1, 4});
      }
    }
  }

  static void testSeveralDynamicSizesNeedATensor() {
    try (Method method = open("TWO_DYNAMIC_SIZES").method("forward")) {
      float[] x = {1, 2, 3, 4, 5, 6};
      Tensor<float[]> output = method.run(Tensor.of(Dtype.FLOAT32, x, 2, 3)).getTensor(0, float[].class);
      equal(output.getSizes(), new int[] {3, 2});
      equal(output.getArray()[output.position(2, 0)], 6f);
      Exception error = thrown(() -> method.run(x));
      check(error.getMessage().endsWith("; pass Tensor.of(dtype, elements, sizes)"), error);
      fails(
          Status.INVALID_ARGUMENT, "inputs[0]: 1 sizes; pass 2", () -> method.run(Tensor.of(Dtype.FLOAT32, x, 6)));
    }
  }

  static void testMethodsKeepTheirOwnState() {
    Program program = open("KV_CACHE_DECODER");
    try (Method first = program.method("prefill"); Method second = program.method("prefill")) {
      Object[] prompt = {new long[] {3, 1, 4, 1, 5, 9}, new long[] {0, 1, 2, 3, 4, 5}};
      Results expected = first.run(prompt);
      first.run(prompt);
      first.reset();
      equal(array(first.run(prompt)), array(expected));
      equal(array(second.run(prompt)), array(expected));
    }
  }

  private static Object array(Results results) {
    return ((Tensor<?>) results.get(0)).getArray();
  }

  static void testWrongInputsAreErrorsThatNameTheInput() {
    try (Method method = open("INTEGER_INPUTS").method("forward")) {
      fails(
          Status.INVALID_TYPE,
          "inputs[0]: the value is String; pass float[], FloatBuffer or Tensor",
          () -> method.run("x", 1L, 2L, 5L));
      fails(
          Status.INVALID_TYPE,
          "inputs[0]: the value is double[]; pass float[], FloatBuffer or Tensor",
          () -> method.run(new double[18], 1L, 2L, 5L));
      fails(
          Status.INVALID_TYPE,
          "inputs[0]: the value is null; pass float[], FloatBuffer or Tensor",
          () -> method.run(null, 1L, 2L, 5L));
      fails(
          Status.INVALID_TYPE, "inputs[1]: the value is Double; pass Long", () -> method.run(new float[18], 1.0, 2, 5));
      fails(Status.NOT_SUPPORTED, "inputs[1]: 4 is out of range; pass 0 to 3", () -> method.run(new float[18], 4, 2, 5));
      fails(
          Status.INVALID_TYPE,
          "inputs[0]: the tensor is int32 [6, 3]; pass float32 [6 to 8, 3]",
          () -> method.run(Tensor.of(Dtype.INT32, new int[18], 6, 3), 1, 2, 5));
      Exception error = thrown(() -> method.run(new float[18]));
      check(error.getMessage().endsWith(" has 4 inputs, got 1; pass 4"), error);
      equal(method.run(new float[18], 3, 2, 5).getTensor(0, float[].class).getSizes(), new int[] {2, 2});
    }
  }

  static void testTensorsOfAnotherLayoutAreErrors() {
    try (Method method = open("TWO_DYNAMIC_SIZES").method("forward")) {
      Tensor<float[]> x = Tensor.of(Dtype.FLOAT32, new float[6], 2, 3);
      equal(x.getStrides(), new int[] {3, 1});
      fails(Status.INVALID_ARGUMENT, "float32 [2, 4]: 6 elements; pass 8", () -> Tensor.of(Dtype.FLOAT32, new float[6], 2, 4));
      fails(Status.INVALID_TYPE, "int8: the array is float[]; pass byte[]", () -> Tensor.of(Dtype.INT8, new float[6], 6));
    }
  }

  static void testOutputsOfAnotherKindAreErrors() {
    try (Method method = openExternal().method("forward")) {
      Results results = method.run(ROW);
      fails(
          Status.INVALID_TYPE,
          "output 0 is a tensor, float32 [1, 4], not a tensor with elements in int[]",
          () -> results.getTensor(0, int[].class));
      fails(
          Status.INVALID_TYPE,
          "output 0 is a tensor, float32 [1, 4], not an integer",
          () -> results.getLong(0));
      equal(thrown(() -> results.get(1)).getClass(), IndexOutOfBoundsException.class);
    }
  }

  static void testUnknownMethodsAreErrors() {
    fails(
        Status.NOT_FOUND,
        "the program has no method 'backward'; its methods are: forward",
        () -> openExternal().method("backward"));
  }

  static void testClosedMethodsThrow() {
    Method method = openExternal().method("forward", new Options().threads(2));
    method.close();
    method.close();
    for (Testing.Action action : new Testing.Action[] {() -> method.run(ROW), method::reset}) {
      Exception error = thrown(action);
      equal(error.getClass(), IllegalStateException.class);
      equal(error.getMessage(), "Method 'forward' is closed; load another object");
    }
    equal(method.getSignature().getName(), "forward");
  }

  static void testUnreachableMethodsAreFreed() {
    Program program = openExternal();
    for (int i = 0; i < 200; i++) {
      program.method("forward").run(ROW);
    }
    System.gc();
  }

  static void testThreadsShareAMethod() throws Exception {
    try (Method method = openExternal().method("forward")) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        float[] x = ROW.clone();
        x[0] = i;
        Object expected = array(method.run(x));
        tasks.add(
            () -> {
              for (int call = 0; call < 1000; call++) {
                equal(array(method.run(x)), expected);
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

  static void testDamagedFilesAreErrors() throws Exception {
    byte[] program = Files.readAllBytes(path("INTEGER_INPUTS"));
    for (int size : new int[] {0, 7, 8, 63, program.length / 2, program.length - 1}) {
      Exception error = thrown(() -> Program.open(Data.of(ByteBuffer.wrap(Arrays.copyOf(program, size)))));
      check(error instanceof ExecutorchException, error);
    }
    fails(
        Status.ACCESS_FAILED,
        "/missing.pte: No such file or directory; pass the path of a .pte or .ptd file",
        () -> Program.open(Data.of(Paths.get("/missing.pte"))));
    Exception error = thrown(() -> open("PROGRAM").method("forward").close());
    check(error instanceof ExecutorchException, error);
    equal(thrown(() -> Program.open(null)).getClass(), NullPointerException.class);
  }

  static void testMemoryOfMethodsIsLimited() {
    Program program = open("INTEGER_INPUTS");
    Exception error = thrown(() -> program.method("forward", new Options().maxMemory(100)));
    check(error.getMessage().matches("OUT_OF_RESOURCES: the methods need at least \\d+ bytes, and maxMemory is 100; .*"), error);
    try (Method method = program.method("forward", new Options().maxMemory(1 << 20))) {
      equal(method.run(new float[18], 3, 2, 5).size(), 1);
    }
    equal(thrown(() -> new Options().maxMemory(-1)).getMessage(), "maxMemory: -1; pass 0 or more");
  }

  /** Changes bytes at random. Each damaged program is an error, or runs. */
  static void testRandomDamageDoesNotCrash() throws Exception {
    byte[] program = Files.readAllBytes(path("INTEGER_INPUTS"));
    Random random = new Random(1);
    int errors = 0;
    for (int round = 0; round < 3000; round++) {
      byte[] damaged = program.clone();
      for (int i = 0; i <= random.nextInt(4); i++) {
        damaged[random.nextInt(damaged.length)] = (byte) (random.nextBoolean() ? random.nextInt() : 0xff);
      }
      try (Method method = Program.open(Data.of(ByteBuffer.wrap(damaged))).method("forward", new Options().maxSteps(1000).maxMemory(1 << 24))) {
        method.run(new float[18], 3, 2, 5);
      } catch (ExecutorchException error) {
        errors++;
      }
    }
    check(errors > 300, errors + " errors");
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(ProgramTest.class);
  }
}
