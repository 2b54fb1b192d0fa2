package org.executorch.bazel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;

/** Memory that an object shares with C: et_java_frame of bindings/java/jni/model.h. */
final class Frame {
  /** Members of et_java_slot. */
  static final int KIND = 0;

  static final int DTYPE = 1;
  static final int VALUE = 2;
  static final int COUNT = 3;
  static final int RANK = 4;
  static final int SIZES = 5;

  static final int MAX_RANK = 16;

  /** Bytes of the status, and of the message. */
  private static final int STATUS_BYTES = 8;

  private static final int MESSAGE_BYTES = 240;
  private static final int FIRST_SLOT = (STATUS_BYTES + MESSAGE_BYTES) / Long.BYTES;
  private static final int SLOT_LONGS = SIZES + MAX_RANK;

  private final ByteBuffer bytes;
  private final LongBuffer longs;

  Frame(int slotCount) {
    int size = (FIRST_SLOT + slotCount * SLOT_LONGS) * Long.BYTES;
    bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    longs = bytes.asLongBuffer();
  }

  ByteBuffer bytes() {
    return bytes;
  }

  /** Returns a member of a slot. */
  long get(int slot, int member) {
    return longs.get(FIRST_SLOT + slot * SLOT_LONGS + member);
  }

  /** Sets a member of a slot. */
  void put(int slot, int member, long value) {
    longs.put(FIRST_SLOT + slot * SLOT_LONGS + member, value);
  }

  /** Returns the status that C wrote last; 0 for none, or success. */
  long status() {
    return longs.get(0);
  }

  /** Returns the status and the message of the last failure. */
  ExecutorchException failure(String[] inputNames) {
    byte[] text = new byte[MESSAGE_BYTES];
    int size = 0;
    for (byte next; size < text.length && (next = bytes.get(STATUS_BYTES + size)) != 0; size++) {
      text[size] = next;
    }
    String message = new String(text, 0, size, StandardCharsets.UTF_8);
    return new ExecutorchException(Status.ofCode(longs.get(0)), withName(message, inputNames));
  }

  /** Replaces {@code inputs[<index>]} at the start of a message by the input's name. */
  private static String withName(String message, String[] inputNames) {
    String start = "inputs[";
    int end = message.indexOf(']');
    if (!message.startsWith(start) || end < 0) {
      return message;
    }
    for (int i = 0; i < inputNames.length; i++) {
      if (inputNames[i] != null && message.startsWith(start + i + "]")) {
        return inputNames[i] + message.substring(end + 1);
      }
    }
    return message;
  }
}
