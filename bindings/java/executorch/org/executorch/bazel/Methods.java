package org.executorch.bazel;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * For generated classes: the loaded methods of one object.
 *
 * <p>A lock serializes the calls, so any thread can use the object. The native memory is freed by
 * {@link #close}, or after the object is unreachable.
 */
public final class Methods {
  private final String className;
  private final Handle handle;
  private final Cleaner.Cleanable cleanable;
  private final Call[] calls;
  private final ReentrantLock lock = new ReentrantLock();

  /** Started for the first object. */
  private static final class Cleaning {
    static final Cleaner CLEANER = Cleaner.create();

    private Cleaning() {}
  }

  /** The native object. It does not refer to the {@link Methods}, so that these can be collected. */
  private static final class Handle implements Runnable {
    final Natives natives;

    /** The native object has pointers to the frame, and to the buffers of files. */
    private final Frame frame;

    private final Object[] files;
    long address;

    Handle(Natives natives, Frame frame, Object[] files) {
      this.natives = natives;
      this.frame = frame;
      this.files = files;
    }

    /** Frees the object. The cleaner calls it once: in `close`, or when no call can be running. */
    @Override
    public void run() {
      long freed = address;
      address = 0;
      try {
        natives.free(freed);
      } finally {
        Reference.reachabilityFence(frame);
        Reference.reachabilityFence(files);
      }
    }
  }

  private Methods(String className, Handle handle, Call[] calls) {
    this.className = className;
    this.handle = handle;
    this.calls = calls;
    for (Call call : calls) {
      call.attach(this);
    }
    cleanable = Cleaning.CLEANER.register(this, handle);
  }

  /**
   * Loads the methods of a model.
   *
   * @param className the generated class, for messages
   * @param natives the functions of the native library
   * @param model the index of the model in the library
   * @param digest the digest of the model's interface
   * @param slots the number of inputs and of outputs of each method, alternating
   * @param program the program; null if the library contains it
   * @param weights the weights; null if the library contains them, or there are none
   * @param options the options
   * @return the methods
   * @throws ExecutorchException if the model cannot be loaded
   */
  public static Methods load(
      String className,
      Natives natives,
      int model,
      long digest,
      int[] slots,
      Data program,
      Data weights,
      Options options) {
    int slotCount = 0;
    for (int count : slots) {
      slotCount += count;
    }
    Frame frame = new Frame(slotCount);
    Call[] calls = new Call[slots.length / 2];
    int first = 0;
    for (int i = 0; i < calls.length; i++) {
      calls[i] = new Call(frame, i, first, slots[2 * i]);
      first += slots[2 * i] + slots[2 * i + 1];
    }
    Object[] files = {
      program == null ? null : program.forNative(), weights == null ? null : weights.forNative()
    };
    Handle handle = new Handle(natives, frame, files);
    handle.address =
        natives.load(model, digest, frame.bytes(), files, options.numbers(), options.texts());
    if (handle.address == 0) {
      throw frame.failure(new String[0]);
    }
    return new Methods(className, handle, calls);
  }

  /**
   * Starts a call, and waits for calls of other threads. The caller calls {@link Call#end} in a
   * {@code finally} block.
   *
   * @param method the index of the method
   * @return the call
   * @throws IllegalStateException if the object is closed
   */
  public Call begin(int method) {
    lockOpen();
    return calls[method];
  }

  private void lockOpen() {
    lock.lock();
    if (handle.address == 0) {
      lock.unlock();
      throw new IllegalStateException(className + " is closed; load another object");
    }
  }

  void unlock() {
    lock.unlock();
  }

  Natives natives() {
    return handle.natives;
  }

  long address() {
    return handle.address;
  }

  /** Returns the description of the program, which {@link Description} reads. */
  byte[] describe(ProgramNatives natives) {
    lockOpen();
    try {
      byte[] description = natives.describe(handle.address);
      if (description == null) {
        throw handle.frame.failure(new String[0]);
      }
      return description;
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /** Resets the mutable buffers of all methods to their initial values. */
  public void reset() {
    lockOpen();
    try {
      handle.natives.reset(handle.address);
    } finally {
      lock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  /** Frees the native memory, after calls of other threads. Does nothing if it is free. */
  public void close() {
    lock.lock();
    try {
      cleanable.clean();
    } finally {
      lock.unlock();
    }
  }
}
