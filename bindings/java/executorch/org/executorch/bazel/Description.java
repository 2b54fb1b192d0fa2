package org.executorch.bazel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.executorch.bazel.ValueInfo.Kind;

/** Reads the description of a program, which bindings/java/jni/program.c writes. */
final class Description {
  private static final Map<Integer, Kind> KINDS =
      Map.of(2, Kind.INT, 3, Kind.BOOL, 4, Kind.DOUBLE, 5, Kind.TENSOR, 6, Kind.STRING);

  private final ByteBuffer bytes;

  private Description(byte[] content) {
    bytes = ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
  }

  /** Returns the signatures by the names of the methods, in the order of the program. */
  static Map<String, Signature> read(byte[] content) {
    Description description = new Description(content);
    Map<String, Signature> signatures = new LinkedHashMap<>();
    for (int index = 0; description.bytes.hasRemaining(); index++) {
      Signature found = description.readSignature(index);
      signatures.putIfAbsent(found.getName(), found);
    }
    return signatures;
  }

  private Signature readSignature(int index) {
    String name = readText();
    String conditions = readText();
    List<String> lines = conditions.isEmpty() ? List.of() : List.of(conditions.split("\n"));
    int inputCount = bytes.getInt();
    List<ValueInfo> inputs = readValues("inputs", inputCount);
    int outputCount = bytes.getInt();
    List<ValueInfo> outputs = readValues("outputs", outputCount);
    return new Signature(index, name, inputs, outputs, lines, inputCount, outputCount);
  }

  private String readText() {
    byte[] text = new byte[bytes.getInt()];
    bytes.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  /** Reads values. Constant inputs, and kinds that have no Java type, are omitted. */
  private List<ValueInfo> readValues(String role, int count) {
    List<ValueInfo> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = role + "[" + i + "]";
      Kind kind = KINDS.get(bytes.getInt());
      boolean isInput = role.equals("inputs");
      if (kind == Kind.TENSOR) {
        values.add(readTensor(name, i));
      } else if (kind == Kind.INT) {
        Range range = new Range(bytes.getLong(), bytes.getLong(), bytes.getLong());
        if (!isInput || range.getStep() != 0) {
          values.add(ValueInfo.scalar(name, i, kind, isInput ? range : null));
        }
      } else if (kind != null && !isInput) {
        values.add(ValueInfo.scalar(name, i, kind, null));
      }
    }
    return values;
  }

  private ValueInfo readTensor(String name, int index) {
    int code = bytes.getInt();
    Dtype dtype = Dtype.ofCode(code);
    if (dtype == null) {
      throw new ExecutorchException(
          Status.NOT_SUPPORTED, name + ": elements of dtype code " + code + " have no Java type");
    }
    int[] dimOrder = new int[bytes.getInt()];
    List<Range> sizes = new ArrayList<>();
    for (int dim = 0; dim < dimOrder.length; dim++) {
      sizes.add(new Range(bytes.getInt(), bytes.getInt(), bytes.getInt()));
      dimOrder[dim] = bytes.getInt();
    }
    return ValueInfo.tensor(name, index, dtype, sizes, dimOrder);
  }
}
