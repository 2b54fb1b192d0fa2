package tests.languages;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import org.executorch.bazel.Data;
import org.executorch.bazel.ExecutorchException;

/** Prints the message of each misuse in Java: {@code case: STATUS: message}. */
final class Misuse {
  private Misuse() {}

  private static void show(String name, Runnable action) {
    try {
      action.run();
      System.out.println(name + ": OK: ");
    } catch (ExecutorchException error) {
      System.out.println(name + ": " + error.getMessage());
    } catch (RuntimeException | UnsatisfiedLinkError error) {
      System.out.println(name + ": " + error.getClass().getSimpleName() + ": " + error.getMessage());
    }
  }

  private static void runWithWrongInputs() {
    try (FeatureModelsIntegerInputs net = FeatureModelsIntegerInputs.load()) {
      show("size", () -> net.forward(new float[27], 0, 2, 5));
      show("count", () -> net.forward(new float[20], 0, 2, 5));
      show("integer", () -> net.forward(new float[18], 4, 2, 5));
      FloatBuffer x = FloatBuffer.allocate(18);
      FloatBuffer target = FloatBuffer.allocate(6);
      show("read-only", () -> net.forwardInto(x, 0, 2, 5, target.asReadOnlyBuffer()));
      show("small buffer", () -> net.forwardInto(x, 0, 2, 5, FloatBuffer.allocate(3)));
      show("byte order", () -> net.forward(ByteBuffer.allocateDirect(72).asFloatBuffer(), 0, 2, 5));
      show("heap view", () -> net.forwardInto(x, 0, 2, 5, ByteBuffer.allocate(24).asFloatBuffer()));
      net.close();
      show("closed", () -> net.forward(x, 0, 2, 5));
    }
  }

  private static Path write(String name, byte[] bytes, int size) throws IOException {
    return Files.write(Paths.get(name), Arrays.copyOf(bytes, size));
  }

  private static void load(String name, Path program, Path weights) {
    show(name, () -> FeatureModelsExternalWeightsOneRow.load(Data.of(program), Data.of(weights)).close());
  }

  private static void loadWrongFiles(Path program, Path weights) throws IOException {
    byte[] bytes = Files.readAllBytes(program);
    byte[] weightBytes = Files.readAllBytes(weights);
    load("missing", Paths.get("missing.pte"), weights);
    load("short", write("short.pte", bytes, 2), weights);
    load("truncated program", write("part.pte", bytes, 64), weights);
    load("truncated weights", program, write("part.ptd", weightBytes, 64));
    load("no program", write("net.ptd", weightBytes, weightBytes.length), weights);
    try (FeatureModelsExternalWeightsOneRow net =
        FeatureModelsExternalWeightsOneRow.load(Data.of(program), Data.of(weights))) {
      show("fixed count", () -> net.forward(new float[7]));
    }
  }

  private static void loadForAnotherPlatform() {
    String cpu = System.getProperty("os.arch");
    System.setProperty("os.arch", "sparc");
    show("platform", FeatureModelsIntegerInputs::load);
    System.setProperty("os.arch", cpu);
  }

  public static void main(String[] arguments) throws IOException {
    loadForAnotherPlatform();
    runWithWrongInputs();
    loadWrongFiles(Paths.get(arguments[0]), Paths.get(arguments[1]));
  }
}
