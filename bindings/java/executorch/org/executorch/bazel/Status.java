package org.executorch.bazel;

/** The kind of an {@link ExecutorchException}. The C runtime's type is {@code et_status}. */
public enum Status {
  /** An internal error of the runtime. */
  INTERNAL(0x01),
  /** A call was in the wrong order. */
  INVALID_STATE(0x02),
  /** A value is valid, but the runtime does not support it, or it is outside the model's range. */
  NOT_SUPPORTED(0x10),
  /** A backend does not implement the call. */
  NOT_IMPLEMENTED(0x11),
  /** An argument is invalid. */
  INVALID_ARGUMENT(0x12),
  /** A value has the wrong kind or dtype. */
  INVALID_TYPE(0x13),
  /** The program needs a kernel that is not linked. */
  OPERATOR_MISSING(0x14),
  /** No element has the name or key. */
  NOT_FOUND(0x20),
  /** The memory is too small. */
  MEMORY_TOO_SMALL(0x21),
  /** Reading a file failed. */
  ACCESS_FAILED(0x22),
  /** The program is malformed. */
  INVALID_PROGRAM(0x23),
  /** The weights file does not match the program. */
  INVALID_EXTERNAL_DATA(0x24),
  /** A limit of the runtime was exceeded. */
  OUT_OF_RESOURCES(0x25),
  /** A backend rejects its part of the program. */
  DELEGATE_INCOMPATIBLE(0x30),
  /** A delegate needs more memory. */
  DELEGATE_MEMORY(0x31),
  /** A delegate's handle is not valid. */
  DELEGATE_INVALID_HANDLE(0x32);

  private final int code;

  Status(int code) {
    this.code = code;
  }

  /** Returns the status with a code of et_status; {@link #INTERNAL} if it is unknown. */
  static Status ofCode(long code) {
    for (Status status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    return INTERNAL;
  }
}
