// Generated from {LABEL}. Do not edit.
package {PACKAGE};

/** The native library of {@code {LABEL}}. */
final class {CLASS}Natives extends org.executorch.bazel.LlmNatives {
  private static {CLASS}Natives loaded;

  private {CLASS}Natives() {}

  /** Loads the library for the first caller. */
  static synchronized {CLASS}Natives get() {
    if (loaded == null) {
      if (org.executorch.bazel.NativeLibrary.isInstalled()) {
        java.lang.System.loadLibrary("{LIBRARY}");
      } else {
        java.lang.System.load(org.executorch.bazel.NativeLibrary.find({CLASS}Natives.class, "{LIBRARY}"));
      }
      loaded = new {CLASS}Natives();
    }
    return loaded;
  }

  @Override
  protected native long create(java.nio.ByteBuffer frame, int threads);

  @Override
  protected native int begin(
      long handle,
      int[] roles,
      java.lang.Object[] texts,
      boolean continues,
      long[] numbers,
      float[] sampling,
      java.lang.Object[] stops,
      long[] stopTokens,
      long[] biases);

  @Override
  protected native byte[] next(long handle);

  @Override
  protected native void cancel(long handle);

  @Override
  protected native int rewind(long handle, long count);

  @Override
  protected native int setAdapter(long handle, byte[] name);

  @Override
  protected native byte[] adapter(int index);

  @Override
  protected native long[] tokens(long handle);

  @Override
  protected native double[] stats(long handle);

  @Override
  protected native long context(long handle);

  @Override
  protected native void free(long handle);
}
