package app

import java.io.File
import java.io.IOException

private const val SIDE = 224

/** Returns the central square of a binary PPM file, 7/8 of the shorter side, with values from -1 to 1. */
private fun readPhoto(path: String): FloatArray {
    val file = File(path).readBytes()
    val head = String(file, Charsets.ISO_8859_1).split(Regex("\\s"), 5)
    if (head.size < 5 || head[0] != "P6" || head[3] != "255") {
        throw IOException("$path: not a binary PPM file with 8 bits per channel")
    }
    val (width, height) = head.subList(1, 3).map(String::toInt)
    val pixels = head[4].length
    if (pixels.toLong() != 3L * width * height) {
        throw IOException("$path: $pixels bytes of pixels for $width x $height")
    }
    val side = minOf(width, height) * 7 / 8
    return FloatArray(3 * SIDE * SIDE) {
        val y = (height - side) / 2 + it / SIDE % SIDE * side / SIDE
        val x = (width - side) / 2 + it % SIDE * side / SIDE
        val position = file.size - pixels + (y * width + x) * 3 + it / (SIDE * SIDE)
        (file[position].toInt() and 0xff) / 127.5f - 1
    }
}

/** Prints the most probable class of each photo: `app CLASSES.json PHOTO.ppm …`. */
fun main(arguments: Array<String>) {
    // {"0": "tench, Tinca tinca", …}: text 3 between quotes is the name of class 0.
    val names = File(arguments[0]).readText().split('"')
    Classifier.load().use { classifier ->
        for (photo in arguments.drop(1)) {
            val scores = classifier.forward(readPhoto(photo)).array
            val best = scores.indices.sortedByDescending { scores[it] }.first()
            println(names[4 * best + 3])
        }
    }
}
