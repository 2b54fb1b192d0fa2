package app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Prints the most probable class of each photo: {@code app CLASSES.json PHOTO.ppm …}. */
final class App {
  private static final int SIDE = 224;

  /** Returns the central square of a binary PPM file, 7/8 of the shorter side, with values from -1 to 1. */
  private static float[] readPhoto(String path) throws IOException {
    byte[] file = Files.readAllBytes(Paths.get(path));
    String[] head = new String(file, StandardCharsets.ISO_8859_1).split("\\s", 5);
    if (head.length < 5 || !head[0].equals("P6") || !head[3].equals("255")) {
      throw new IOException(path + ": not a binary PPM file with 8 bits per channel");
    }
    int width = Integer.parseInt(head[1]);
    int height = Integer.parseInt(head[2]);
    int pixels = head[4].length();
    if (pixels != 3L * width * height) {
      throw new IOException(path + ": " + pixels + " bytes of pixels for " + width + " x " + height);
    }
    int side = Math.min(width, height) * 7 / 8;
    float[] image = new float[3 * SIDE * SIDE];
    for (int i = 0; i < image.length; i++) {
      int y = (height - side) / 2 + i / SIDE % SIDE * side / SIDE;
      int x = (width - side) / 2 + i % SIDE * side / SIDE;
      int position = file.length - pixels + (y * width + x) * 3 + i / (SIDE * SIDE);
      image[i] = Byte.toUnsignedInt(file[position]) / 127.5f - 1;
    }
    return image;
  }

  public static void main(String[] arguments) throws IOException {
    // {"0": "tench, Tinca tinca", …}: text 3 between quotes is the name of class 0.
    String[] names = Files.readString(Paths.get(arguments[0])).split("\"");
    try (Classifier classifier = Classifier.load()) {
      for (int i = 1; i < arguments.length; i++) {
        float[] scores = classifier.forward(readPhoto(arguments[i])).getArray();
        int best = 0;
        for (int label = 1; label < scores.length; label++) {
          best = scores[label] > scores[best] ? label : best;
        }
        System.out.println(names[4 * best + 3]);
      }
    }
  }
}
