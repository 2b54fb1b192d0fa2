package org.executorch.bazel;

/** The author of an {@link LlmMessage}. */
public enum LlmRole {
  // In the order of et_chat_role.
  /** Instructions; only the first message can have this role. */
  SYSTEM,
  /** The user of the app. */
  USER,
  /** The model. */
  ASSISTANT
}
