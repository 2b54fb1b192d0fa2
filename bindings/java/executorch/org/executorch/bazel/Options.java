package org.executorch.bazel;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jetbrains.annotations.NotNull;

/** Options for loading a model. The functions change the object, and return it. */
public final class Options {
  private long maxSteps;
  private long maxMemory;
  private Long randomSeed;
  private int threads;
  private final Map<String, Map<String, Object>> backends = new TreeMap<>();

  /** Creates default options: one thread, and no random numbers. */
  public Options() {}

  /**
   * Sets the maximum number of instructions in one call.
   *
   * @param count the number; 0 selects the default, 10 million
   * @return this object
   */
  public @NotNull Options maxSteps(long count) {
    if (count < 0) {
      throw new IllegalArgumentException("maxSteps: " + count + "; pass 0 or more");
    }
    maxSteps = count;
    return this;
  }

  /**
   * Sets the maximum memory of the methods, without the program itself. The limit is checked before
   * the memory is allocated.
   *
   * @param bytes the bytes of planned buffers, values, scratch memory and copies of inputs; 0 for no
   *     limit, the default
   * @return this object
   */
  public @NotNull Options maxMemory(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("maxMemory: " + bytes + "; pass 0 or more");
    }
    maxMemory = bytes;
    return this;
  }

  /**
   * Sets the seed of operators that return random numbers. Without a seed, such operators fail.
   *
   * @param seed the seed
   * @return this object
   */
  public @NotNull Options randomSeed(long seed) {
    randomSeed = seed;
    return this;
  }

  /**
   * Sets the number of threads of kernels and backends. Each object starts its own threads.
   *
   * @param count 1 to 64, including the caller's thread
   * @return this object
   */
  public @NotNull Options threads(int count) {
    if (count < 1 || count > 64) {
      throw new IllegalArgumentException("threads: " + count + "; pass 1 to 64");
    }
    threads = count;
    return this;
  }

  /**
   * Sets an option of a backend, such as {@code backendOption("CpuBackend", "isa", "plain")}. Options
   * of backends that the model does not use are ignored.
   *
   * @param backend the id of the backend
   * @param key the name of the option
   * @param value a String, Boolean, Integer, Long, Float or Double
   * @return this object
   */
  public @NotNull Options backendOption(
      @NotNull String backend, @NotNull String key, @NotNull Object value) {
    Object found = Objects.requireNonNull(value);
    if (value instanceof Integer) {
      found = ((Integer) value).longValue();
    } else if (value instanceof Float) {
      found = ((Float) value).doubleValue();
    } else if (!(value instanceof String || value instanceof Boolean || value instanceof Long
        || value instanceof Double)) {
      throw new IllegalArgumentException(
          key + ": " + value.getClass().getName() + "; pass a String, Boolean, Long or Double");
    }
    if (found instanceof String) {
      checkText((String) found);
    }
    backends.computeIfAbsent(checkText(backend), name -> new TreeMap<>()).put(checkText(key), found);
    return this;
  }

  private static String checkText(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("an option contains a NUL");
    }
    return text;
  }

  /** Returns the longs that the native function `load` reads. */
  long[] numbers() {
    List<Long> numbers = new ArrayList<>();
    long seed = randomSeed == null ? 0 : randomSeed;
    Collections.addAll(numbers, maxSteps, randomSeed == null ? 0L : 1L, seed, (long) threads, maxMemory);
    for (Map<String, Object> options : backends.values()) {
      for (Object value : options.values()) {
        Collections.addAll(numbers, tag(value), bits(value));
      }
    }
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  /** Returns the texts that the native function `load` reads. */
  Object[] texts() {
    List<Object> texts = new ArrayList<>();
    backends.forEach(
        (backend, options) ->
            options.forEach(
                (key, value) -> {
                  for (String text : new String[] {backend, key, value instanceof String ? (String) value : ""}) {
                    texts.add(text.getBytes(StandardCharsets.UTF_8));
                  }
                }));
    return texts.toArray();
  }

  /** Returns the et_value_tag. */
  private static long tag(Object value) {
    return value instanceof Long ? 2 : value instanceof Boolean ? 3 : value instanceof Double ? 4 : 6;
  }

  private static long bits(Object value) {
    if (value instanceof Boolean) {
      return (Boolean) value ? 1 : 0;
    }
    return value instanceof Long
        ? (Long) value
        : value instanceof Double ? Double.doubleToRawLongBits((Double) value) : 0;
  }
}
