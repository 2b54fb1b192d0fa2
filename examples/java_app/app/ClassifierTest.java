package app;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import org.executorch.bazel.ExecutorchException;

/** Tests the program: {@code ClassifierTest CLASSES.json PHOTO.ppm}. */
final class ClassifierTest {
  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }

  private static void testThePhotoIsADaisy(String[] arguments) throws IOException {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed));
    App.main(arguments);
    System.setOut(console);
    check(printed.toString().trim().equals("daisy"), "the program prints: " + printed);
  }

  private static void testScoresAreTheSameInEachCall() {
    try (Classifier classifier = Classifier.load()) {
      float[] image = new float[3 * 224 * 224];
      float[] scores = classifier.forward(image).getArray();
      check(scores.length == 1000, scores.length + " scores");
      check(java.util.Arrays.equals(classifier.forward(image).getArray(), scores), "the scores differ");
    }
  }

  private static void testAnImageOfAnotherSizeIsAnError() {
    try (Classifier classifier = Classifier.load()) {
      classifier.forward(new float[100]);
      check(false, "the image was accepted");
    } catch (ExecutorchException error) {
      check(error.getMessage().endsWith(": 100 elements; pass 150528"), error.getMessage());
    }
  }

  public static void main(String[] arguments) throws IOException {
    testThePhotoIsADaisy(arguments);
    testScoresAreTheSameInEachCall();
    testAnImageOfAnotherSizeIsAnError();
  }
}
