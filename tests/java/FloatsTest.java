package tests.java;

import static tests.java.Testing.equal;

import org.executorch.bazel.Float16;

/** Tests conversions of 16-bit floats. */
final class FloatsTest {
  private FloatsTest() {}

  static void testFloat16ValuesSurviveARoundTrip() {
    for (int bits = 0; bits <= 0xffff; bits++) {
      float value = Float16.toFloat((short) bits);
      if (Float.isNaN(value)) {
        equal(Float.isNaN(Float16.toFloat(Float16.ofFloat(value))), true);
      } else {
        equal(Float16.ofFloat(value), (short) bits);
      }
    }
  }

  static void testFloat16ConversionRoundsTiesToEven() {
    for (int bits = 0; bits < 0x7bff; bits++) {
      float middle = (Float16.toFloat((short) bits) + Float16.toFloat((short) (bits + 1))) / 2;
      equal(Float16.ofFloat(middle), (short) (bits + (bits & 1)));
      equal(Float16.ofFloat(Math.nextUp(middle)), (short) (bits + 1));
      equal(Float16.ofFloat(Math.nextDown(middle)), (short) bits);
    }
    equal(Float16.ofFloat(65519.996f), (short) 0x7bff);
    equal(Float16.ofFloat(65520), (short) 0x7c00);
    equal(Float16.ofFloat(-1e30f), (short) 0xfc00);
  }

  static void testBfloat16ValuesSurviveARoundTrip() {
    for (int bits = 0; bits <= 0xffff; bits++) {
      float value = Float16.bfloat16ToFloat((short) bits);
      if (Float.isNaN(value)) {
        equal(Float.isNaN(Float16.bfloat16ToFloat(Float16.bfloat16OfFloat(value))), true);
      } else {
        equal(Float16.bfloat16OfFloat(value), (short) bits);
      }
    }
    equal(Float16.bfloat16OfFloat(1 + 1 / 256f), (short) 0x3f80);
    equal(Float16.bfloat16OfFloat(1 + 3 / 256f), (short) 0x3f82);
    equal(Float16.bfloat16OfFloat(Float.MAX_VALUE), (short) 0x7f80);
  }

  public static void main(String[] arguments) throws Exception {
    Testing.run(FloatsTest.class);
  }
}
