package tests.java;

import static tests.java.Testing.check;
import static tests.java.Testing.equal;
import static tests.java.Testing.thrown;

import java.nio.file.Paths;
import org.executorch.bazel.Data;
import org.executorch.bazel.Method;
import org.executorch.bazel.Program;

/** Tests a runtime with the kernels of one model. */
final class SelectedKernelsTest {
  private SelectedKernelsTest() {}

  private static Program open(String variable) {
    return Program.open(Data.of(Paths.get(System.getenv(variable))));
  }

  static void testModelOfTheRuntimeRuns() {
    try (Method method = open("INTEGER_INPUTS").method("forward")) {
      equal(method.run(new float[18], 3, 2, 5).size(), 1);
    }
  }

  static void testMissingKernelsAreErrors() {
    Program program = open("KV_CACHE_DECODER");
    equal(program.signature("decode").getInputs().size(), 2);
    Exception error = thrown(() -> program.method("decode"));
    check(error.getMessage().startsWith("OPERATOR_MISSING: "), error);
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(SelectedKernelsTest.class);
  }
}
