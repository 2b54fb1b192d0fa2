package org.executorch.bazel;

import java.nio.ByteBuffer;

/**
 * For generated classes: the native functions of one native library, which bindings/java/jni
 * defines.
 *
 * <p>Each library registers its functions in its own subclass, so that several libraries work in one
 * process. Callers hold the lock of the object, and have checked all arguments.
 */
public abstract class Natives {
  /** Called by subclasses. */
  protected Natives() {}

  /**
   * Loads a model.
   *
   * @param model the index of the model in the library
   * @param digest the digest of the model's interface
   * @param frame memory that the model shares
   * @param files the program and the weights: null, the path as bytes, or a direct buffer
   * @param numbers options
   * @param texts options
   * @return the handle, or 0 after a failure
   */
  protected abstract long load(
      int model, long digest, ByteBuffer frame, Object[] files, long[] numbers, Object[] texts);

  /**
   * Sets the inputs that the frame describes, and runs a method.
   *
   * @param handle the object
   * @param method the index of the method
   * @param tensors an array or a direct buffer for each tensor that the frame describes
   * @return the status
   */
  protected abstract int run(long handle, int method, Object[] tensors);

  /**
   * Copies the elements of an output.
   *
   * @param handle the object
   * @param method the index of the method
   * @param output the index of the output
   * @param target an array, or a direct buffer
   * @param begin the position of the first element
   * @param isDirect whether the target is a buffer
   * @return the status
   */
  protected abstract int read(
      long handle, int method, int output, Object target, long begin, boolean isDirect);

  /**
   * Returns the bytes of a string.
   *
   * @param handle the object
   * @param method the index of the method
   * @param output the index of the output
   * @return the bytes in UTF-8, or null if the output is not a string
   */
  protected abstract byte[] text(long handle, int method, int output);

  /**
   * Resets mutable buffers.
   *
   * @param handle the object
   */
  protected abstract void reset(long handle);

  /**
   * Unloads a model.
   *
   * @param handle the object
   */
  protected abstract void free(long handle);
}
