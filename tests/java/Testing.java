package tests.java;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Objects;
import org.executorch.bazel.ExecutorchException;
import org.executorch.bazel.Status;

/** Runs the test functions of a class, and has checks for them. */
final class Testing {
  private Testing() {}

  /** A function that may throw any exception. */
  interface Action {
    void run() throws Exception;
  }

  /** Runs all static functions whose name starts with "test". Exits with 1 if one fails. */
  static void run(Class<?> tests) throws IllegalAccessException {
    int failures = 0;
    for (Method method : tests.getDeclaredMethods()) {
      if (!method.getName().startsWith("test") || !Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      try {
        method.invoke(null);
        System.out.println("PASS " + method.getName());
      } catch (InvocationTargetException error) {
        failures++;
        System.out.println("FAIL " + method.getName());
        error.getCause().printStackTrace(System.out);
      }
    }
    if (failures > 0) {
      System.exit(1);
    }
  }

  static void check(boolean condition, Object text) {
    if (!condition) {
      throw new AssertionError(text);
    }
  }

  static void equal(Object found, Object expected) {
    check(Objects.deepEquals(found, expected), found + " is not " + expected);
  }

  /** Checks that an action fails with a status and a message. */
  static void fails(Status status, String message, Action action) {
    Exception error = thrown(action);
    check(error instanceof ExecutorchException, error);
    equal(error.getMessage(), status + ": " + message);
    equal(((ExecutorchException) error).getStatus(), status);
  }

  /** Returns the exception that an action throws. */
  static Exception thrown(Action action) {
    try {
      action.run();
    } catch (Exception error) {
      return error;
    }
    throw new AssertionError("the action does not fail");
  }

  static FloatBuffer direct(float... elements) {
    FloatBuffer buffer = empty(elements.length);
    buffer.put(elements).flip();
    return buffer;
  }

  static FloatBuffer empty(int count) {
    return ByteBuffer.allocateDirect(4 * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }
}
