package org.executorch.bazel;

import java.nio.ByteBuffer;

/** The native library that runs any program: {@code executorch_java_runtime}. */
final class ProgramNatives extends Natives {
  private static final String LIBRARY = "executorch_program_jni";

  private static ProgramNatives loaded;

  private ProgramNatives() {}

  /** Loads the library for the first caller. */
  static synchronized ProgramNatives get() {
    if (loaded == null) {
      if (NativeLibrary.isInstalled()) {
        System.loadLibrary(LIBRARY);
      } else {
        System.load(
            NativeLibrary.find(ProgramNatives.class, LIBRARY, "add an executorch_java_runtime to the program"));
      }
      loaded = new ProgramNatives();
    }
    return loaded;
  }

  /**
   * Describes the methods of an open program.
   *
   * @param handle the object
   * @return what {@link Description} reads, or null after a failure
   */
  native byte[] describe(long handle);

  @Override
  protected native long load(
      int model, long digest, ByteBuffer frame, Object[] files, long[] numbers, Object[] texts);

  @Override
  protected native int run(long handle, int method, Object[] tensors);

  @Override
  protected native int read(
      long handle, int method, int output, Object target, long begin, boolean isDirect);

  @Override
  protected native byte[] text(long handle, int method, int output);

  @Override
  protected native void reset(long handle);

  @Override
  protected native void free(long handle);
}
