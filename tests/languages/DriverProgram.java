package tests.languages;

import org.executorch.bazel.Data;
import org.executorch.bazel.Dtype;
import org.executorch.bazel.Method;
import org.executorch.bazel.Options;
import org.executorch.bazel.Program;
import org.executorch.bazel.Range;
import org.executorch.bazel.Tensor;
import org.executorch.bazel.ValueInfo;

/** Runs recorded calls of any program, without a generated class. The arguments are those of DriverMain. */
final class DriverProgram {
  private DriverProgram() {}

  private static Object elements(Dtype dtype, DriverIo.Input input, boolean hasBuffers) {
    switch (dtype) {
      case BOOL:
        return hasBuffers ? input.booleanBuffer() : input.booleans();
      case UINT8:
      case INT8:
        return hasBuffers ? input.byteBuffer() : input.bytes();
      case INT16:
      case UINT16:
      case FLOAT16:
      case BFLOAT16:
        return hasBuffers ? input.shortBuffer() : input.shorts();
      case INT32:
      case UINT32:
        return hasBuffers ? input.intBuffer() : input.ints();
      case INT64:
      case UINT64:
        return hasBuffers ? input.longBuffer() : input.longs();
      case FLOAT32:
      case COMPLEX64:
        return hasBuffers ? input.floatBuffer() : input.floats();
      default:
        return hasBuffers ? input.doubleBuffer() : input.doubles();
    }
  }

  private static Object argument(ValueInfo info, DriverIo io) {
    DriverIo.Input input = io.read();
    if (info.getKind() != ValueInfo.Kind.TENSOR) {
      return input.value();
    }
    long dynamic = info.getSizes().stream().filter(size -> size.getStep() != 0).count();
    boolean isEmpty = info.getSizes().stream().map(Range::getMax).anyMatch(max -> max == 0);
    return dynamic > 1 || dynamic == 1 && isEmpty
        ? Tensor.of(info.getDtype(), elements(info.getDtype(), input, false), input.sizes())
        : elements(info.getDtype(), input, io.hasBuffers());
  }

  private static void write(DriverIo io, Object output) {
    if (output instanceof Tensor) {
      io.write((Tensor<?>) output);
    } else if (output instanceof Long) {
      io.write((long) (Long) output);
    } else if (output instanceof Boolean) {
      io.write((boolean) (Boolean) output);
    } else if (output instanceof Double) {
      io.write((double) (Double) output);
    } else {
      io.write((String) output);
    }
  }

  public static void main(String[] arguments) throws Exception {
    DriverIo io = new DriverIo(arguments);
    Data[] files = io.files();
    Program program = files.length > 1 ? Program.open(files[0], files[1]) : Program.open(files[0]);
    Method[] methods = new Method[program.getMethodNames().size()];
    for (int i = 0; i < methods.length; i++) {
      methods[i] = program.method(program.getMethodNames().get(i), new Options().randomSeed(0));
    }
    for (int index; (index = io.nextCall()) >= 0;) {
      Method method = methods[index];
      Object[] inputs = method.getSignature().getInputs().stream().map(info -> argument(info, io)).toArray();
      method.run(inputs).forEach(output -> write(io, output));
    }
    for (Method method : methods) {
      method.close();
    }
    io.close();
  }
}
