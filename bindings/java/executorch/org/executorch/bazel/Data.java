package org.executorch.bazel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.jetbrains.annotations.NotNull;

/**
 * The bytes of a program or of a weights file. Several models can use one object.
 *
 * <p>The bytes must not change as long as a model uses them.
 */
public final class Data {
  /** The alignment that programs need. */
  private static final int ALIGNMENT = 16;

  private final Object source;

  private Data(Object source) {
    this.source = source;
  }

  /**
   * Returns a file. Each model maps it when it is loaded, so it need not fit the Java heap.
   *
   * @param path the path of a .pte or .ptd file
   * @return the data
   */
  public static @NotNull Data of(@NotNull Path path) {
    if (path.getFileSystem() != FileSystems.getDefault()) {
      throw new IllegalArgumentException(path + ": not in the default file system; pass its bytes");
    }
    return new Data(path.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the bytes from the buffer's position to its limit.
   *
   * @param buffer a buffer. If it is direct and its first address is a multiple of 16, such as that
   *     of a mapped file, the bytes are used in place. Otherwise, they are copied.
   * @return the data
   */
  public static @NotNull Data of(@NotNull ByteBuffer buffer) {
    ByteBuffer bytes = buffer.slice();
    if (bytes.isDirect() && bytes.capacity() > 0 && bytes.alignmentOffset(0, ALIGNMENT) == 0) {
      return new Data(bytes);
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(bytes.capacity() + 2 * ALIGNMENT);
    ByteBuffer aligned = copy.alignedSlice(ALIGNMENT);
    aligned.put(bytes).flip();
    return new Data(aligned.slice());
  }

  /**
   * Reads a resource.
   *
   * @param type a class with the same class loader
   * @param name the name, as for {@link Class#getResourceAsStream}
   * @return the data
   * @throws ExecutorchException if there is no such resource, or it cannot be read
   */
  public static @NotNull Data resource(@NotNull Class<?> type, @NotNull String name) {
    try (InputStream stream = type.getResourceAsStream(name)) {
      if (stream == null) {
        throw new ExecutorchException(
            Status.ACCESS_FAILED, name + ": no such resource; add it to the jar");
      }
      return of(ByteBuffer.wrap(stream.readAllBytes()));
    } catch (IOException error) {
      throw new ExecutorchException(Status.ACCESS_FAILED, name + ": " + error.getMessage());
    }
  }

  /** Returns a path as bytes, or a direct buffer of which all bytes are used. */
  Object forNative() {
    return source;
  }
}
