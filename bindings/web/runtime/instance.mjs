import { ExecutorchError, invalidArgument, kindOf } from "./errors.mjs";
import { decoder, readSlots } from "./slots.mjs";
import { instantiate } from "./threads.mjs";
import { compiledModule } from "./variants.mjs";

/** The key of the function that frees an object. Older engines have no Symbol.dispose. */
export const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");

const TAGS = { bigint: 2, number: 4, boolean: 3, string: 6 };

const encoder = new TextEncoder();

/** The linear memory of an instance, as views that follow its growth. */
class Memory {
  #memory;
  #bytes;
  #view;

  constructor(memory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  get bytes() {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#view = new DataView(this.#memory.buffer);
    }
    return this.#bytes;
  }

  get view() {
    return this.bytes && this.#view;
  }

  /** Returns the text that ends with a NUL. */
  text(address) {
    const { bytes } = this;
    // A copy, because browsers do not decode shared memory.
    return decoder.decode(bytes.slice(address, bytes.indexOf(0, address)));
  }
}

function bitsOf(value) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value, true);
  return bits.getBigInt64(0, true);
}

/** Returns an integer option as 64 bits. */
function uint64(value, name) {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) {
    throw invalidArgument(`${name}: pass an integer, not ${kindOf(value)}`);
  }
  return BigInt.asIntN(64, BigInt(value));
}

/** One program and its methods, in their own WebAssembly instance. */
export class Instance {
  #name;
  #exports;
  #memory;
  #methods = [];
  #workers;

  constructor(name, exports, workers) {
    this.#name = name;
    this.#exports = exports;
    this.#memory = new Memory(exports.memory);
    this.#workers = workers;
    workers?.endWith(this);
  }

  get methods() {
    return this.#methods;
  }

  get memoryBytes() {
    return this.#live().memory.buffer.byteLength;
  }

  /** The number of threads of a call. */
  get threads() {
    this.#live();
    return this.#workers?.count ?? 1;
  }

  #live() {
    if (this.#exports === undefined) {
      throw new ExecutorchError("INVALID_STATE", `${this.#name} is disposed; load it again`);
    }
    return this.#exports;
  }

  /** Calls `callback` with the exports. A trap, which is a bug of the library, ends the object. */
  #guarded(callback) {
    const exports = this.#live();
    try {
      return callback(exports);
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError) && !(cause instanceof RangeError)) {
        throw cause;
      }
      this.dispose();
      throw new ExecutorchError("INTERNAL", `${this.#name} trapped, and is disposed: ${cause.message}`, cause);
    }
  }

  /** Throws the error of a failed call. `inputs` has the inputs whose numbers the message may have. */
  #check(status, inputs = []) {
    if (status !== 0) {
      const { message, status_name: statusName } = this.#live();
      const text = this.#memory.text(message()).replace(/^inputs\[(\d+)\]/, (number, i) => inputs[i]?.name ?? number);
      throw new ExecutorchError(this.#memory.text(statusName(status)), text);
    }
  }

  #allocate(nbytes, role) {
    const address = this.#guarded((exports) => exports.allocate(nbytes)) >>> 0;
    if (address === 0) {
      throw new ExecutorchError("MEMORY_TOO_SMALL", `${role}: out of WebAssembly memory for ${nbytes} bytes`);
    }
    return address;
  }

  #copyText(text) {
    const encoded = encoder.encode(`${text}\0`);
    const address = this.#allocate(encoded.length, "text");
    this.#memory.bytes.set(encoded, address);
    return address;
  }

  setOptions(options) {
    const { randomSeed, maxSteps, backendOptions = {} } = options;
    if (randomSeed !== undefined) {
      this.#live().set_seed(uint64(randomSeed, "randomSeed"));
    }
    if (maxSteps !== undefined) {
      this.#live().set_max_steps(uint64(maxSteps, "maxSteps"));
    }
    for (const [backend, values] of Object.entries(backendOptions)) {
      const id = this.#copyText(backend);
      for (const [key, value] of Object.entries(values)) {
        this.#addOption(id, `backendOptions.${backend}.${key}`, key, value);
      }
    }
  }

  #addOption(backend, place, key, value) {
    const given = Number.isSafeInteger(value) ? BigInt(value) : value;
    const tag = TAGS[typeof given];
    if (tag === undefined) {
      throw invalidArgument(`${place}: pass an integer, number, boolean or string, not ${kindOf(value)}`);
    }
    const bits = { bigint: (x) => BigInt.asIntN(64, x), number: bitsOf, boolean: BigInt, string: () => 0n };
    const text = this.#copyText(typeof given === "string" ? given : "");
    this.#check(this.#live().add_option(backend, this.#copyText(key), tag, bits[typeof given](given), text));
  }

  /** Copies a file to linear memory while it arrives. Returns its place. */
  async copyFile(index, role, file, nbytes, onChunk) {
    const address = this.#allocate(nbytes, role);
    const exports = this.#live();
    let used = 0;
    for await (const chunk of file.chunks) {
      if (chunk.length > nbytes - used) {
        throw new ExecutorchError("INVALID_PROGRAM", `${file.name}: has more than ${nbytes} bytes`);
      }
      this.#memory.bytes.set(chunk, address + used);
      used += chunk.length;
      onChunk(chunk.length);
    }
    if (used !== nbytes) {
      throw new ExecutorchError("INVALID_PROGRAM", `${file.name}: has ${used} bytes instead of ${nbytes}`);
    }
    exports.set_file(index, address, nbytes);
    return { address, nbytes };
  }

  /** Returns the SHA-256 of a copied file, in hexadecimal. */
  async hash({ address, nbytes }) {
    const digest = await this.#digest(address, nbytes);
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async #digest(address, nbytes) {
    const { subtle } = globalThis.crypto ?? {};
    if (subtle !== undefined) {
      const bytes = this.#memory.bytes.subarray(address, address + nbytes);
      // Browsers do not hash shared memory.
      const data = this.#workers === undefined ? bytes : bytes.slice();
      return new Uint8Array(await subtle.digest("SHA-256", data));
    }
    // The engine's function is faster, but exists in secure contexts only.
    const digest = this.#live().hash(address, nbytes) >>> 0;
    return this.#memory.bytes.slice(digest, digest + 32);
  }

  /** Loads model `index` of the library, or any program. */
  load(index, digest) {
    this.#check(
      this.#guarded((exports) =>
        index === undefined ? exports.load_program() : exports.load_model(index, digest),
      ),
    );
  }

  /** Reads the methods. `names` has the names of their inputs and outputs; default: numbers. */
  readMethods(names) {
    const exports = this.#live();
    for (let index = 0; index < exports.method_count(); index++) {
      const inputCount = exports.input_count(index);
      const numbered = (role, count) => Array.from({ length: count }, (_, i) => `${role}[${i}]`);
      const inputNames = names?.[index].inputs ?? numbered("inputs", inputCount);
      const outputNames = names?.[index].outputs ?? numbered("outputs", exports.output_count(index));
      const slots = readSlots(this.#memory, exports.slots(index) >>> 0, [...inputNames, ...outputNames]);
      this.#methods.push({
        name: this.#memory.text(exports.method_name(index) >>> 0),
        inputs: slots.slice(0, inputCount),
        outputs: slots.slice(inputCount),
      });
    }
  }

  /** Runs a method whose inputs are set. */
  run(index) {
    const status = this.#guarded((exports) => exports.run(index));
    this.#check(status, this.#methods[index].inputs);
  }

  reset() {
    this.#guarded((exports) => exports.reset());
  }

  /** Ends the workers, and drops the WebAssembly instance and so all its memory. */
  dispose() {
    this.#workers?.end();
    this.#exports = undefined;
    this.#memory = undefined;
    this.#methods = [];
  }

  /** Throws if the object is disposed. */
  checkLive() {
    this.#live();
  }
}

/** Creates an instance of the library's module, with the options set. */
export async function createInstance(library, name, options) {
  const module = await compiledModule(library, options);
  options.signal?.throwIfAborted();
  const { exports, workers } = await instantiate(library, module, options);
  const instance = new Instance(name, exports, workers);
  return loadOrDispose(instance, () => {
    instance.setOptions(options);
    return instance;
  });
}

/** Returns the result of `callback`. Disposes the instance if it fails. */
export async function loadOrDispose(instance, callback) {
  try {
    return await callback();
  } catch (error) {
    instance.dispose();
    throw error;
  }
}
