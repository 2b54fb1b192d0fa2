package tests.java;

import static tests.java.Testing.check;
import static tests.java.Testing.equal;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.executorch.bazel.NativeLibrary;
import tests.models.OneRow;

/** Tests where native libraries are found, and to which folders they are copied. */
final class LoaderTest {
  private static final String NAME = "one_row_jni";
  private static final String FOLDER = "executorch.native.folder";

  private LoaderTest() {}

  /** Returns a path in a new folder, and selects it as the folder for libraries. */
  private static Path select(String name) throws IOException {
    Path parent = Files.createTempDirectory(Paths.get(System.getenv("TEST_TMPDIR")), "loader");
    Path folder = parent.resolve(name);
    System.setProperty(FOLDER, folder.toString());
    return folder;
  }

  private static Path find() {
    return Paths.get(NativeLibrary.find(OneRow.class, NAME));
  }

  private static void fails(String message, Class<?> type, String name) {
    try {
      NativeLibrary.find(type, name);
    } catch (UnsatisfiedLinkError error) {
      check(error.getMessage().contains(message), error);
      return;
    }
    throw new AssertionError("the library was found");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  static void testLibraryIsCopiedOnceToAPrivateFolder() throws IOException {
    Path folder = select("a/b");
    Path file = find();
    equal(file.getParent(), folder);
    equal(mode(folder), "rwx------");
    equal(mode(file), "rw-------");
    check(file.getFileName().toString().matches("libone_row_jni-[0-9a-f]{16}\\.so"), file);
    FileTime time = FileTime.fromMillis(1000000000000L);
    Files.setLastModifiedTime(file, time);
    equal(find(), file);
    equal(Files.getLastModifiedTime(file), time);
    equal(Files.list(folder).count(), 1L);
  }

  static void testDamagedCopiesAreReplaced() throws IOException {
    select("folder");
    Path file = find();
    byte[] content = Files.readAllBytes(file);
    Files.write(file, new byte[10]);
    find();
    equal(Files.readAllBytes(file), content);
    byte[] other = content.clone();
    other[0]++;
    Files.write(file, other);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
    find();
    equal(Files.readAllBytes(file), content);
    Files.delete(file);
    Path target = Files.write(file.resolveSibling("target"), content);
    Files.createSymbolicLink(file, target);
    find();
    check(!Files.isSymbolicLink(file), file);
  }

  static void testFoldersOfOthersAreRejected() throws IOException {
    Path folder = select("open");
    for (String mode : new String[] {"rwxrwx---", "rwxr-xr-x", "rwx---rwx"}) {
      Files.deleteIfExists(folder);
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
      fails(folder + " has mode " + mode + ", not rwx------; set -Dexecutorch.native.folder", OneRow.class, NAME);
      equal(Files.list(folder).count(), 0L);
    }
    Path link = folder.resolveSibling("link");
    Path target = Files.createDirectory(folder.resolveSibling("target"), PosixFilePermissions.asFileAttribute(
        PosixFilePermissions.fromString("rwx------")));
    Files.createSymbolicLink(link, target);
    System.setProperty(FOLDER, link.toString());
    fails(link + " is not a folder of this user", OneRow.class, NAME);
  }

  static void testThreadsCopyTheSameFile() throws Exception {
    select("shared");
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Callable<Path>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tasks.add(LoaderTest::find);
    }
    for (Future<Path> found : threads.invokeAll(tasks)) {
      equal(found.get(), find());
    }
    threads.shutdown();
    equal(Files.list(find().getParent()).count(), 1L);
  }

  static void testUsersWithoutACacheFolderGetATemporaryOne() throws IOException {
    String home = System.getProperty("user.home");
    System.clearProperty(FOLDER);
    System.setProperty("user.home", "/proc/none");
    Path file = find();
    System.setProperty("user.home", home);
    check(System.getenv("XDG_CACHE_HOME") != null || file.getParent().getFileName().toString().startsWith("executorch-java-"), file);
    equal(mode(file.getParent()), "rwx------");
  }

  static void testLibraryPathComesFirst() throws IOException {
    Path folder = Files.createTempDirectory(Paths.get(System.getenv("TEST_TMPDIR")), "library");
    Path file = Files.write(folder.resolve("libone_row_jni.so"), new byte[1]);
    String before = System.getProperty("java.library.path");
    System.setProperty("java.library.path", "/missing::" + folder);
    equal(find(), file);
    System.setProperty("java.library.path", before);
  }

  static void testMissingPlatformIsAnError() throws IOException {
    select("unused");
    fails("missing_jni: no native library for linux-", OneRow.class, "missing_jni");
  }

  /** A class that a test loads from another folder. */
  static final class Marker {}

  static void testDamagedJarIsAnError() throws Exception {
    Path folder = select("damaged");
    Path root = folder.resolveSibling("classes");
    String file = Marker.class.getName().replace('.', '/') + ".class";
    Files.createDirectories(root.resolve(file).getParent());
    try (InputStream content = LoaderTest.class.getResourceAsStream("/" + file)) {
      Files.copy(content, root.resolve(file));
    }
    String cpu = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
    Path natives = Files.createDirectories(root.resolve("META-INF/native/linux-" + cpu));
    try (URLClassLoader loader = new URLClassLoader(new URL[] {root.toUri().toURL()}, null)) {
      Class<?> marker = loader.loadClass(Marker.class.getName());
      Files.writeString(natives.resolve("x_jni.txt"), "libx.so " + "0".repeat(64) + " 3\n");
      fails("libx.so is not in the jar", marker, "x_jni");
      Files.writeString(natives.resolve("libx.so"), "abc");
      fails("libx.so is damaged: its SHA-256 is ba7816bf", marker, "x_jni");
      for (String line : new String[] {"", "../x.so " + "0".repeat(64) + " 3", "libx.so 00 3"}) {
        Files.writeString(natives.resolve("x_jni.txt"), line);
        fails("the jar's list of libraries is damaged", marker, "x_jni");
      }
      equal(Files.list(folder).count(), 0L);
    }
  }

  static void testSeveralJarsWithALibraryAreAnError() throws Exception {
    Path folder = select("several");
    String file = Marker.class.getName().replace('.', '/') + ".class";
    String cpu = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
    URL[] roots = new URL[2];
    for (int i = 0; i < roots.length; i++) {
      Path root = folder.resolveSibling("root" + i);
      Files.createDirectories(root.resolve(file).getParent());
      try (InputStream content = LoaderTest.class.getResourceAsStream("/" + file)) {
        Files.copy(content, root.resolve(file));
      }
      Path natives = Files.createDirectories(root.resolve("META-INF/native/linux-" + cpu));
      Files.writeString(natives.resolve("x_jni.txt"), "libx.so " + "0".repeat(64) + " 3\n");
      roots[i] = root.toUri().toURL();
    }
    try (URLClassLoader loader = new URLClassLoader(roots, null)) {
      fails("x_jni: several jars have this native library: [", loader.loadClass(Marker.class.getName()), "x_jni");
    }
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(LoaderTest.class);
  }
}
