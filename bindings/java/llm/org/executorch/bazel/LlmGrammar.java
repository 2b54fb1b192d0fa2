package org.executorch.bazel;

/**
 * For generated classes: a grammar of an answer's text, which the native library contains.
 *
 * <p>The constants of a model's class are its grammars.
 */
public final class LlmGrammar {
  private final Class<?> owner;
  private final int index;

  /**
   * Called by generated classes.
   *
   * @param owner the class of the native functions
   * @param index the index of the grammar in the library
   */
  public LlmGrammar(Class<? extends LlmNatives> owner, int index) {
    this.owner = owner;
    this.index = index;
  }

  /** Returns the index of the grammar, which must be one of the model. */
  int indexFor(LlmNatives natives) {
    if (natives.getClass() != owner) {
      throw new IllegalArgumentException("the grammar is not one of this model; add it to 'grammars' of its target");
    }
    return index;
  }
}
