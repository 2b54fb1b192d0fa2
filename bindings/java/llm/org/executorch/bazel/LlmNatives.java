package org.executorch.bazel;

import java.nio.ByteBuffer;

/**
 * For generated classes: the native functions of a language model, which bindings/java/jni/llm.c
 * defines.
 *
 * <p>Each native library registers its functions in its own subclass. Except for {@link #cancel},
 * callers hold the lock of the object, and have checked all arguments. A status of 0 is success.
 */
public abstract class LlmNatives {
  /** Called by subclasses. */
  protected LlmNatives() {}

  /**
   * Opens the model with an empty conversation.
   *
   * @param frame memory that the object shares
   * @param threads the number of threads
   * @return the handle, or 0 after a failure
   */
  protected abstract long create(ByteBuffer frame, int threads);

  /**
   * Processes messages, and begins an answer.
   *
   * @param handle the object
   * @param roles the roles of the messages, as in et_chat_role
   * @param texts the texts of the messages in UTF-8
   * @param continues whether to append the messages to the conversation
   * @param numbers options, in the order of {@link LlmGeneration}
   * @param sampling options for sampling, in the order of {@link LlmGeneration}
   * @param stops strings that end the answer, in UTF-8
   * @param stopTokens tokens that end the answer
   * @param biases a token and the bits of a float for each bias
   * @return the status
   */
  protected abstract int begin(
      long handle,
      int[] roles,
      Object[] texts,
      boolean continues,
      long[] numbers,
      float[] sampling,
      Object[] stops,
      long[] stopTokens,
      long[] biases);

  /**
   * Generates text.
   *
   * @param handle the object
   * @return complete characters in UTF-8; null at the end, and after a failure
   */
  protected abstract byte[] next(long handle);

  /**
   * Ends the answer in progress, from any thread.
   *
   * @param handle the object
   */
  protected abstract void cancel(long handle);

  /**
   * Removes tokens from the end of the conversation.
   *
   * @param handle the object
   * @param count the number of tokens that stay
   * @return the status
   */
  protected abstract int rewind(long handle, long count);

  /**
   * Selects an adapter.
   *
   * @param handle the object
   * @param name the name in UTF-8, or null
   * @return the status
   */
  protected abstract int setAdapter(long handle, byte[] name);

  /**
   * Returns the name of an adapter.
   *
   * @param index the index of the adapter
   * @return the name in UTF-8, or null after the last one
   */
  protected abstract byte[] adapter(int index);

  /**
   * Returns the tokens of the conversation.
   *
   * @param handle the object
   * @return the tokens
   */
  protected abstract long[] tokens(long handle);

  /**
   * Returns the statistics of the latest answer.
   *
   * @param handle the object
   * @return the members of et_llm_stats
   */
  protected abstract double[] stats(long handle);

  /**
   * Returns the size of the context.
   *
   * @param handle the object
   * @return the maximum number of tokens of the conversation
   */
  protected abstract long context(long handle);

  /**
   * Frees the object.
   *
   * @param handle the object, or 0
   */
  protected abstract void free(long handle);
}
