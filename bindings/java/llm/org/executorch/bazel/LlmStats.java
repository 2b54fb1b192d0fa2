package org.executorch.bazel;

import org.jetbrains.annotations.NotNull;

/** Statistics of an answer. */
public final class LlmStats {
  private final double[] values;

  /** Takes the members of et_llm_stats. */
  LlmStats(double[] values) {
    this.values = values;
  }

  /**
   * Returns the number of tokens before the answer.
   *
   * @return the number of tokens
   */
  public int getPromptTokens() {
    return (int) values[0];
  }

  /**
   * Returns how many tokens before the answer were already processed.
   *
   * @return the number of tokens
   */
  public int getReusedTokens() {
    return (int) values[1];
  }

  /**
   * Returns the number of tokens of the answer.
   *
   * @return the number of tokens
   */
  public int getGeneratedTokens() {
    return (int) values[2];
  }

  /**
   * Returns the time for processing the prompt.
   *
   * @return the time in seconds
   */
  public double getPromptSeconds() {
    return values[3];
  }

  /**
   * Returns the time for generating the answer.
   *
   * @return the time in seconds
   */
  public double getGenerationSeconds() {
    return values[4];
  }

  /**
   * Returns the reason for which the answer ended.
   *
   * @return the reason
   */
  public @NotNull LlmFinish getFinish() {
    return LlmFinish.values()[(int) values[5]];
  }
}
