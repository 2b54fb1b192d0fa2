package org.executorch.bazel;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jetbrains.annotations.NotNull;

/**
 * A language model and a conversation.
 *
 * <p>A lock serializes the calls, so any thread can use the object. The native memory is freed by
 * {@link #close}, or after the object is unreachable.
 */
public final class Llm implements AutoCloseable {
  private final LlmNatives natives;
  private final Frame frame;
  private final Handle handle;
  private final Cleaner.Cleanable cleanable;
  private final ReentrantLock lock = new ReentrantLock();

  /** Started for the first object. */
  private static final class Cleaning {
    static final Cleaner CLEANER = Cleaner.create();

    private Cleaning() {}
  }

  /** The native object. It does not refer to the {@link Llm}, so that this can be collected. */
  private static final class Handle implements Runnable {
    private final LlmNatives natives;

    /** The native object has a pointer to the frame. */
    private final Frame frame;

    private long address;

    Handle(LlmNatives natives, Frame frame, long address) {
      this.natives = natives;
      this.frame = frame;
      this.address = address;
    }

    /** Ends the answer in progress. Does not wait for the call that generates it. */
    synchronized void cancel() {
      if (address != 0) {
        natives.cancel(address);
      }
    }

    synchronized long address() {
      return address;
    }

    // Frees the object. The cleaner calls it once: in `close`, or when no call can be running.
    @Override
    public synchronized void run() {
      long freed = address;
      address = 0;
      try {
        natives.free(freed);
      } finally {
        Reference.reachabilityFence(frame);
      }
    }
  }

  private Llm(LlmNatives natives, Frame frame, Handle handle) {
    this.natives = natives;
    this.frame = frame;
    this.handle = handle;
    cleanable = Cleaning.CLEANER.register(this, handle);
  }

  /**
   * For generated classes: opens a model with an empty conversation.
   *
   * @param natives the functions of the native library
   * @param threads the number of threads, 1 to 64
   * @return the model
   * @throws ExecutorchException if the memory does not suffice
   */
  public static @NotNull Llm open(@NotNull LlmNatives natives, int threads) {
    if (threads < 1 || threads > 64) {
      throw new IllegalArgumentException("threads: " + threads + "; pass 1 to 64");
    }
    Frame frame = new Frame(0);
    long address = natives.create(frame.bytes(), threads);
    if (address == 0) {
      throw frame.failure(new String[0]);
    }
    return new Llm(natives, frame, new Handle(natives, frame, address));
  }

  /**
   * Appends a user message to the conversation, and returns the most probable answer.
   *
   * @param text the message
   * @return the answer
   * @throws ExecutorchException if the message does not fit into the context
   */
  public @NotNull String chat(@NotNull String text) {
    return chat(text, new LlmGeneration());
  }

  /**
   * Appends a user message to the conversation, and returns the answer.
   *
   * @param text the message
   * @param options options of the answer
   * @return the answer
   * @throws ExecutorchException if the message does not fit into the context, or an option is invalid
   */
  public @NotNull String chat(@NotNull String text, @NotNull LlmGeneration options) {
    StringBuilder answer = new StringBuilder();
    chat(text, options, answer::append);
    return answer.toString();
  }

  /**
   * Appends a user message to the conversation, and streams the answer.
   *
   * @param text the message
   * @param options options of the answer
   * @param context receives each text of the answer: complete characters, in this thread
   * @throws ExecutorchException if the message does not fit into the context, or an option is invalid
   */
  public void chat(@NotNull String text, @NotNull LlmGeneration options, @NotNull Consumer<String> context) {
    answer(List.of(new LlmMessage(LlmRole.USER, text)), true, options, context);
  }

  /**
   * Returns the answer to messages, which are the whole conversation. Only messages after the first
   * change are processed.
   *
   * @param messages the messages
   * @param options options of the answer
   * @return the answer
   * @throws ExecutorchException if the messages do not fit into the context, or an argument is invalid
   */
  public @NotNull String generate(@NotNull List<LlmMessage> messages, @NotNull LlmGeneration options) {
    StringBuilder answer = new StringBuilder();
    generate(messages, options, answer::append);
    return answer.toString();
  }

  /**
   * Streams the answer to messages, which are the whole conversation. Only messages after the first
   * change are processed.
   *
   * @param messages the messages
   * @param options options of the answer
   * @param context receives each text of the answer: complete characters, in this thread
   * @throws ExecutorchException if the messages do not fit into the context, or an argument is invalid
   */
  public void generate(
      @NotNull List<LlmMessage> messages, @NotNull LlmGeneration options, @NotNull Consumer<String> context) {
    answer(List.copyOf(messages), false, options, context);
  }

  private void answer(
      List<LlmMessage> messages, boolean continues, LlmGeneration options, Consumer<String> context) {
    Objects.requireNonNull(context);
    lock.lock();
    try {
      check(options.begin(natives, address(), messages, continues));
      // The callback can close the object.
      for (byte[] text; (text = natives.next(address())) != null; ) {
        context.accept(new String(text, StandardCharsets.UTF_8));
      }
      check(frame.status());
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /** Ends the answer in progress. May be called from any thread. */
  public void cancel() {
    handle.cancel();
    Reference.reachabilityFence(this);
  }

  /**
   * Removes tokens from the end of the conversation.
   *
   * @param count the number of tokens that stay, such as the length of {@link #getTokens} before a
   *     message; 0 begins a new conversation
   * @throws ExecutorchException if the conversation has fewer tokens
   */
  public void rewind(int count) {
    lock.lock();
    try {
      check(natives.rewind(address(), LlmGeneration.atLeastZero("count", count)));
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Returns the names of the model's adapters.
   *
   * @return the names
   */
  public @NotNull List<String> getAdapters() {
    List<String> names = new ArrayList<>();
    for (byte[] name; (name = natives.adapter(names.size())) != null; ) {
      names.add(new String(name, StandardCharsets.UTF_8));
    }
    return names;
  }

  /**
   * Selects an adapter. The next answer processes the whole conversation again.
   *
   * @param name the name, or null for the model without an adapter
   * @throws ExecutorchException if the model has no such adapter
   */
  public void setAdapter(String name) {
    if (name != null && name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("name: pass a string without NUL");
    }
    lock.lock();
    try {
      check(natives.setAdapter(address(), name == null ? null : name.getBytes(StandardCharsets.UTF_8)));
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Returns the tokens of the conversation.
   *
   * @return a copy of the tokens
   */
  public @NotNull long[] getTokens() {
    lock.lock();
    try {
      return natives.tokens(address());
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Returns the statistics of the latest answer.
   *
   * @return the statistics
   */
  public @NotNull LlmStats getStats() {
    lock.lock();
    try {
      return new LlmStats(natives.stats(address()));
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Returns the size of the context.
   *
   * @return the maximum number of tokens of the conversation
   */
  public int getContext() {
    lock.lock();
    try {
      return (int) natives.context(address());
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /** Frees the native memory, after calls of other threads. Does nothing if it is free. */
  @Override
  public void close() {
    lock.lock();
    try {
      cleanable.clean();
    } finally {
      lock.unlock();
    }
  }

  private long address() {
    long address = handle.address();
    if (address == 0) {
      throw new IllegalStateException("the model is closed; load another object");
    }
    return address;
  }

  private void check(long status) {
    if (status != 0) {
      throw frame.failure(new String[0]);
    }
  }
}
