package org.executorch.bazel;

import java.lang.ref.Reference;

/**
 * For generated classes: one call of a method. Set all inputs, run, then read the outputs.
 *
 * <p>Only the thread that holds the lock of the {@link Methods} uses the object.
 */
public final class Call {
  /** The inputs, which must be set before the run. */
  public final Inputs inputs;

  /** The outputs of the run. */
  public final Outputs outputs;

  private final Frame frame;
  private final int method;
  private Methods methods;

  /** {@code firstSlot} is the slot of the first input in the frame; those of outputs follow the inputs. */
  Call(Frame frame, int method, int firstSlot, int inputCount) {
    this.frame = frame;
    this.method = method;
    this.inputs = new Inputs(frame, firstSlot, inputCount);
    this.outputs = new Outputs(this, frame, firstSlot + inputCount);
  }

  void attach(Methods owner) {
    methods = owner;
  }

  /** Ends the call. */
  public void end() {
    inputs.clear();
    Methods owner = methods;
    owner.unlock();
    Reference.reachabilityFence(owner);
  }

  /** Runs the method. */
  public void run() {
    check(methods.natives().run(methods.address(), method, inputs.tensors()));
  }

  /** Copies the elements of an output to an array or a direct buffer, at {@code begin}. */
  void read(int output, Object target, long begin, boolean isDirect) {
    check(methods.natives().read(methods.address(), method, output, target, begin, isDirect));
  }

  /** Returns the bytes of a string; null if the output is not a string. */
  byte[] text(int output) {
    return methods.natives().text(methods.address(), method, output);
  }

  private void check(int status) {
    if (status != 0) {
      throw frame.failure(inputs.names());
    }
  }
}
