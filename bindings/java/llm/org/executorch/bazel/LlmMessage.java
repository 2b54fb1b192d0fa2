package org.executorch.bazel;

import java.util.Objects;
import org.jetbrains.annotations.NotNull;

/** A message of a conversation. */
public final class LlmMessage {
  private final LlmRole role;
  private final String text;

  /**
   * Creates a message.
   *
   * @param role the author
   * @param text the text; it never becomes a control token of the model
   */
  public LlmMessage(@NotNull LlmRole role, @NotNull String text) {
    this.role = Objects.requireNonNull(role);
    this.text = Objects.requireNonNull(text);
  }

  /**
   * Returns the author.
   *
   * @return the role
   */
  public @NotNull LlmRole getRole() {
    return role;
  }

  /**
   * Returns the text.
   *
   * @return the text
   */
  public @NotNull String getText() {
    return text;
  }
}
