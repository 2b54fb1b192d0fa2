package org.executorch.bazel;

/** The reason for which an answer ended. */
public enum LlmFinish {
  // In the order of et_llm_finish.
  /** The answer has not ended. */
  NONE,
  /** A token ended the answer. */
  STOP,
  /** A stop string ended the answer. */
  STOP_STRING,
  /** The answer has the maximum number of tokens. */
  LENGTH,
  /** The context is full. */
  CONTEXT,
  /** {@link Llm#cancel} ended the answer. */
  CANCELED,
  /** The grammar permits no more text. */
  GRAMMAR
}
