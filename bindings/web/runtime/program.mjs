import { ExecutorchError, invalidArgument } from "./errors.mjs";
import { openFile } from "./files.mjs";
import { createInstance, DISPOSE, loadOrDispose } from "./instance.mjs";

/** Reads a file of unknown size into memory. */
async function readAll(source, role, signal) {
  const file = await openFile(source, role, signal);
  const chunks = [];
  for await (const chunk of file.chunks) {
    chunks.push(chunk);
  }
  const nbytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { name: file.name, chunks, nbytes };
}

/** Any program whose kernels the library contains. */
export class GenericProgram {
  #instance;
  #methods;

  constructor(instance) {
    if (instance === undefined) {
      throw new TypeError("call await Program.open()");
    }
    this.#instance = instance;
    this.#methods = instance.methods.map((method) =>
      Object.freeze({
        name: method.name,
        inputs: method.inputs.map((slot) => slot.describe()),
        outputs: method.outputs.map((slot) => slot.describe()),
      }),
    );
  }

  /** Verifies a program and loads all its methods. */
  static async opening(library, Class, source, options = {}) {
    const instance = await createInstance(library, "program", options);
    const sources = [source, ...(options.weights === undefined ? [] : [options.weights])];
    return loadOrDispose(instance, async () => {
      for (const [index, given] of sources.entries()) {
        const role = index === 0 ? "program" : "weights";
        const file = await readAll(given, role, options.signal);
        await instance.copyFile(index, role, file, file.nbytes, () => undefined);
      }
      instance.load();
      instance.readMethods();
      return new Class(instance);
    });
  }

  get methods() {
    return this.#methods;
  }

  get memoryBytes() {
    return this.#instance.memoryBytes;
  }

  get threads() {
    return this.#instance.threads;
  }

  /** Runs a method. Inputs that are the same in every call are omitted or undefined. */
  run(name, inputs = []) {
    this.#instance.checkLive();
    const index = this.#methods.findIndex((method) => method.name === name);
    if (index < 0) {
      const names = this.#methods.map((method) => method.name).join(", ");
      throw new ExecutorchError("NOT_FOUND", `the program has no method '${name}'; its methods are: ${names}`);
    }
    const { inputs: slots, outputs } = this.#instance.methods[index];
    if (inputs.length > slots.length) {
      throw invalidArgument(`${inputs.length} inputs; pass ${slots.length}`);
    }
    slots.forEach((slot, i) => {
      if (slot.isArgument) {
        slot.set(inputs[i]);
      }
    });
    this.#instance.run(index);
    return outputs.map((slot) => slot.get());
  }

  reset() {
    this.#instance.reset();
  }

  dispose() {
    this.#instance.dispose();
  }

  [DISPOSE]() {
    this.dispose();
  }
}
