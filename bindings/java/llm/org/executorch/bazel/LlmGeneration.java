package org.executorch.bazel;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jetbrains.annotations.NotNull;

/**
 * Options of an answer. The defaults select the most probable tokens. The functions change the
 * object, and return it.
 */
public final class LlmGeneration {
  // Indices of numbers, as in bindings/java/jni/llm.c.
  private static final int SEED = 0;
  private static final int MAX_TOKENS = 1;
  private static final int OVERFLOW = 2;
  private static final int KEPT_TOKENS = 3;
  private static final int TOP_K = 4;
  private static final int GRAMMAR = 5;
  private static final int NUMBERS = 6;

  // Indices of sampling, as in bindings/java/jni/llm.c.
  private static final int TEMPERATURE = 0;
  private static final int TOP_P = 1;
  private static final int MIN_P = 2;
  private static final int REPETITION = 3;
  private static final int PRESENCE = 4;
  private static final int FREQUENCY = 5;
  private static final int SAMPLING_NUMBERS = 6;

  private final long[] numbers = new long[NUMBERS];
  private final float[] sampling = new float[SAMPLING_NUMBERS];
  private final List<byte[]> stops = new ArrayList<>();
  private final List<Long> stopTokens = new ArrayList<>();
  private final Map<Long, Float> biases = new TreeMap<>();
  private LlmGrammar grammar;

  /** Creates default options. */
  public LlmGeneration() {}

  /**
   * Sets the maximum number of tokens of the answer.
   *
   * @param count the number; 0 for no limit except the context, the default
   * @return this object
   */
  public @NotNull LlmGeneration maxTokens(int count) {
    numbers[MAX_TOKENS] = atLeastZero("maxTokens", count);
    return this;
  }

  /**
   * Sets the seed of sampling. Equal seeds and conversations give equal answers.
   *
   * @param value the seed
   * @return this object
   */
  public @NotNull LlmGeneration seed(long value) {
    numbers[SEED] = value;
    return this;
  }

  /**
   * Sets the temperature. 0, the default, selects the most probable token.
   *
   * @param value the temperature
   * @return this object
   */
  public @NotNull LlmGeneration temperature(float value) {
    sampling[TEMPERATURE] = value;
    return this;
  }

  /**
   * Limits sampling to the most probable tokens.
   *
   * @param count the number of tokens; 0 for all of them
   * @return this object
   */
  public @NotNull LlmGeneration topK(int count) {
    numbers[TOP_K] = atLeastZero("topK", count);
    return this;
  }

  /**
   * Limits sampling to the most probable tokens whose probabilities have at least this sum.
   *
   * @param value the sum, 0 to 1; 0 for no limit
   * @return this object
   */
  public @NotNull LlmGeneration topP(float value) {
    sampling[TOP_P] = value;
    return this;
  }

  /**
   * Limits sampling to tokens whose probability is at least this part of the highest one.
   *
   * @param value the part, 0 to 1; 0 for no limit
   * @return this object
   */
  public @NotNull LlmGeneration minP(float value) {
    sampling[MIN_P] = value;
    return this;
  }

  /**
   * Penalizes tokens in the prompt and in the answer.
   *
   * @param value the divisor of positive scores; 0 or 1 for no penalty
   * @return this object
   */
  public @NotNull LlmGeneration repetition(float value) {
    sampling[REPETITION] = value;
    return this;
  }

  /**
   * Penalizes tokens in the answer.
   *
   * @param value the number that is subtracted from their scores
   * @return this object
   */
  public @NotNull LlmGeneration presence(float value) {
    sampling[PRESENCE] = value;
    return this;
  }

  /**
   * Penalizes tokens for each time that they are in the answer.
   *
   * @param value the number that is subtracted from their scores
   * @return this object
   */
  public @NotNull LlmGeneration frequency(float value) {
    sampling[FREQUENCY] = value;
    return this;
  }

  /**
   * Adds a string that ends the answer, and is not part of it.
   *
   * @param text the string
   * @return this object
   */
  public @NotNull LlmGeneration stop(@NotNull String text) {
    if (text.isEmpty() || text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("stop: pass a string without NUL that is not empty");
    }
    stops.add(text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /**
   * Adds a token that ends the answer.
   *
   * @param token the token
   * @return this object
   */
  public @NotNull LlmGeneration stopToken(long token) {
    stopTokens.add(token);
    return this;
  }

  /**
   * Adds a number to the score of a token.
   *
   * @param token the token
   * @param value the number; negative infinity excludes the token
   * @return this object
   */
  public @NotNull LlmGeneration bias(long token, float value) {
    biases.put(token, value);
    return this;
  }

  /**
   * Removes the oldest tokens if the context is full. By default, the answer ends.
   *
   * @param keptTokens the number of tokens at the start that stay; 0 for the system message
   * @return this object
   */
  public @NotNull LlmGeneration slide(int keptTokens) {
    numbers[OVERFLOW] = 1;
    numbers[KEPT_TOKENS] = atLeastZero("keptTokens", keptTokens);
    return this;
  }

  /**
   * Constrains the answer.
   *
   * @param grammar a constant of the model's class
   * @return this object
   */
  public @NotNull LlmGeneration grammar(@NotNull LlmGrammar grammar) {
    this.grammar = Objects.requireNonNull(grammar);
    return this;
  }

  /** Checks a number. */
  static int atLeastZero(String name, int count) {
    if (count < 0) {
      throw new IllegalArgumentException(name + ": " + count + "; pass 0 or more");
    }
    return count;
  }

  /** Begins an answer. Returns the status. */
  int begin(LlmNatives natives, long handle, List<LlmMessage> messages, boolean continues) {
    int[] roles = new int[messages.size()];
    Object[] texts = new Object[messages.size()];
    for (int i = 0; i < roles.length; i++) {
      roles[i] = messages.get(i).getRole().ordinal();
      texts[i] = messages.get(i).getText().getBytes(StandardCharsets.UTF_8);
    }
    numbers[GRAMMAR] = grammar == null ? -1 : grammar.indexFor(natives);
    return natives.begin(
        handle,
        roles,
        texts,
        continues,
        numbers,
        sampling,
        stops.toArray(),
        stopTokens.stream().mapToLong(Long::longValue).toArray(),
        biasPairs());
  }

  private long[] biasPairs() {
    long[] pairs = new long[2 * biases.size()];
    int i = 0;
    for (Map.Entry<Long, Float> bias : biases.entrySet()) {
      pairs[i++] = bias.getKey();
      pairs[i++] = Float.floatToRawIntBits(bias.getValue());
    }
    return pairs;
  }
}
