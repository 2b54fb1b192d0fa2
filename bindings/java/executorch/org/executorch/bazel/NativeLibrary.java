package org.executorch.bazel;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * For generated classes: finds the native library of a model.
 *
 * <p>A file in {@code java.library.path} comes first. Otherwise, the library is a resource {@code
 * META-INF/native/<os>-<cpu>/}, which is copied to a folder of the user. The folder is {@code
 * executorch-java} in the user's cache folder, or the system property {@code
 * executorch.native.folder}.
 */
public final class NativeLibrary {
  private static final String FOLDER_PROPERTY = "executorch.native.folder";
  private static final String TEMPORARY_PREFIX = "executorch-java-";
  private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS =
      EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
  private static final boolean IS_POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private NativeLibrary() {}

  /**
   * Returns true on Android, whose package manager installs libraries.
   *
   * @return whether to call {@link System#loadLibrary}
   */
  public static boolean isInstalled() {
    return System.getProperty("java.vendor", "").contains("Android");
  }

  /**
   * Returns the path of a library, which the caller loads with {@link System#load}.
   *
   * @param type a class in the jar with the library
   * @param name the name, such as {@code net_java}
   * @return the absolute path
   * @throws UnsatisfiedLinkError if there is no library for this machine
   */
  public static String find(Class<?> type, String name) {
    return find(type, name, "build the target for this platform");
  }

  /** Like the public function. {@code advice} is for programs without the library. */
  static String find(Class<?> type, String name, String advice) {
    for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
      Path file = Paths.get(folder, System.mapLibraryName(name)).toAbsolutePath();
      if (!folder.isEmpty() && Files.isRegularFile(file)) {
        return file.toString();
      }
    }
    String place = "/META-INF/native/" + platform() + "/";
    try {
      checkUnique(type, place.substring(1) + name + ".txt", name);
      return fromResource(type, place, name, advice).toString();
    } catch (IOException error) {
      throw failure(
          name + ": cannot copy the library to a folder of the user: " + error + "; set -D"
              + FOLDER_PROPERTY + " to a folder that only this user can write", error);
    }
  }

  /** Fails if several jars have the library: each can lack kernels that another has. */
  private static void checkUnique(Class<?> type, String list, String name) throws IOException {
    ClassLoader loader = type.getClassLoader();
    List<URL> found = loader == null ? List.of() : Collections.list(loader.getResources(list));
    if (found.size() > 1) {
      throw new UnsatisfiedLinkError(name + ": several jars have this native library: " + found + "; remove all but one");
    }
  }

  private static UnsatisfiedLinkError failure(String message, Throwable cause) {
    UnsatisfiedLinkError error = new UnsatisfiedLinkError(message);
    error.initCause(cause);
    return error;
  }

  /** Returns the operating system and the CPU, such as linux-x86_64. */
  static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String cpu = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String system = os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : os;
    switch (cpu) {
      case "amd64":
        return system + "-x86_64";
      case "x86":
      case "i386":
        return system + "-x86_32";
      case "arm64":
        return system + "-aarch64";
      default:
        return system + "-" + cpu;
    }
  }

  /** The file of a library among the resources: its name, SHA-256 and size. */
  private static final class Entry {
    final String file;
    final String sha256;
    final long size;

    Entry(String line) throws IOException {
      String[] fields = line == null ? new String[0] : line.split(" ");
      if (fields.length != 3 || !fields[0].matches("[\\w.-]+") || !fields[1].matches("[0-9a-f]{64}")) {
        throw new IOException("the jar's list of libraries is damaged");
      }
      file = fields[0];
      sha256 = fields[1];
      size = Long.parseLong(fields[2]);
    }
  }

  private static Path fromResource(Class<?> type, String place, String name, String advice)
      throws IOException {
    Entry entry;
    try (InputStream list = type.getResourceAsStream(place + name + ".txt")) {
      if (list == null) {
        throw new UnsatisfiedLinkError(
            name + ": no native library for " + platform() + ": neither in java.library.path nor a resource "
                + place + "; " + advice);
      }
      entry = new Entry(
          new BufferedReader(new InputStreamReader(list, StandardCharsets.US_ASCII)).readLine());
    }
    Path folder = privateFolder();
    Path created = Files.createTempFile(folder, "new-", ".tmp");
    try {
      checkFolder(folder, created);
      Path file = folder.resolve(entry.file);
      if (!isUsable(file, entry, created)) {
        copy(type, place, entry, created);
        publish(created, file);
      }
      if (folder.getFileName().toString().startsWith(TEMPORARY_PREFIX)) {
        file.toFile().deleteOnExit();
      }
      return file.toAbsolutePath();
    } finally {
      Files.deleteIfExists(created);
    }
  }

  /** Returns the folder for libraries, and creates it if necessary. */
  private static Path privateFolder() throws IOException {
    String set = System.getProperty(FOLDER_PROPERTY, "");
    Path folder = set.isEmpty() ? cacheFolder().resolve("executorch-java") : Paths.get(set);
    try {
      if (folder.toAbsolutePath().getParent() != null) {
        Files.createDirectories(folder.toAbsolutePath().getParent());
      }
      if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        createPrivate(folder);
      }
      if (set.isEmpty() && !Files.isWritable(folder)) {
        throw new IOException(folder + " is not writable");
      }
      return folder;
    } catch (IOException error) {
      if (!set.isEmpty()) {
        throw error;
      }
      // Users without a home folder get a new folder for each process, which only they can read.
      Path temporary = Files.createTempDirectory(TEMPORARY_PREFIX);
      temporary.toFile().deleteOnExit();
      return temporary;
    }
  }

  private static void createPrivate(Path folder) throws IOException {
    try {
      if (IS_POSIX) {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
      } else {
        Files.createDirectory(folder);
      }
    } catch (FileAlreadyExistsException error) {
      // Another process was faster.
    }
  }

  private static Path cacheFolder() {
    String home = System.getProperty("user.home", "");
    String os = platform();
    String set = System.getenv(os.startsWith("windows") ? "LOCALAPPDATA" : "XDG_CACHE_HOME");
    if (set != null && Paths.get(set).isAbsolute()) {
      return Paths.get(set);
    }
    return Paths.get(home, os.startsWith("macos") ? "Library/Caches" : ".cache");
  }

  /** Checks that only the user, who owns {@code created}, can write the folder. */
  private static void checkFolder(Path folder, Path created) throws IOException {
    if (!IS_POSIX) {
      return;
    }
    PosixFileAttributes found = attributes(folder);
    if (!found.isDirectory() || !found.owner().equals(attributes(created).owner())) {
      throw new IOException(folder + " is not a folder of this user");
    }
    if (!PRIVATE.containsAll(found.permissions())) {
      throw new IOException(
          folder + " has mode " + PosixFilePermissions.toString(found.permissions()) + ", not rwx------");
    }
  }

  private static PosixFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns true if an earlier process has copied the library. */
  private static boolean isUsable(Path file, Entry entry, Path created) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) != entry.size) {
      return false;
    }
    if (!IS_POSIX) {
      return true;
    }
    PosixFileAttributes found = attributes(file);
    Set<PosixFilePermission> others = EnumSet.copyOf(WRITABLE_BY_OTHERS);
    others.retainAll(found.permissions());
    return others.isEmpty() && found.owner().equals(attributes(created).owner());
  }

  private static void copy(Class<?> type, String place, Entry entry, Path target) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new IOException(error);
    }
    try (InputStream resource = type.getResourceAsStream(place + entry.file)) {
      if (resource == null) {
        throw new IOException(place + entry.file + " is not in the jar");
      }
      try (OutputStream out = Files.newOutputStream(target)) {
        new DigestInputStream(resource, digest).transferTo(out);
      }
    }
    StringBuilder sha256 = new StringBuilder();
    for (byte value : digest.digest()) {
      sha256.append(String.format("%02x", value));
    }
    if (!sha256.toString().equals(entry.sha256)) {
      throw new IOException(place + entry.file + " is damaged: its SHA-256 is " + sha256);
    }
  }

  private static void publish(Path created, Path file) throws IOException {
    try {
      Files.move(created, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException error) {
      Files.move(created, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException error) {
      // Windows does not replace a library that another process has loaded.
      if (!Files.isRegularFile(file)) {
        throw error;
      }
    }
  }
}
