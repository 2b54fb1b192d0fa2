import { ExecutorchError, invalidArgument, kindOf } from "./errors.mjs";
import { openFile } from "./files.mjs";
import { createInstance, loadOrDispose } from "./instance.mjs";

const ROLES = ["program", "weights"];

/** Starts to open the files that the .wasm file does not contain. */
function openFiles(model, options) {
  return ROLES.filter((role) => model[role] !== undefined).map((role) => {
    const file = openFile(options[role] ?? model[role].url(), role, options.signal);
    // Another failure can end the load before the file is awaited.
    file.catch(() => undefined);
    return { role, file };
  });
}

/** Copies files to the instance, and verifies their SHA-256. */
async function copyFiles(instance, model, files, onProgress) {
  const total = files.reduce((sum, { role }) => sum + model[role].bytes, 0);
  let loaded = 0;
  for (const { role, file } of files) {
    const { bytes, sha256 } = model[role];
    const opened = await file;
    const place = await instance.copyFile(ROLES.indexOf(role), role, opened, bytes, (count) => {
      loaded += count;
      onProgress?.({ loaded, total });
    });
    if ((await instance.hash(place)) !== sha256) {
      throw new ExecutorchError(
        "INVALID_PROGRAM",
        `${opened.name}: its SHA-256 is not that of the model; deploy files of the same build`,
      );
    }
  }
}

/** An object of a generated class. */
export class LoadedModel {
  #instance;
  #methods;

  constructor(instance, methods) {
    this.#instance = instance;
    this.#methods = methods;
  }

  get memoryBytes() {
    return this.#instance.memoryBytes;
  }

  get threads() {
    return this.#instance.threads;
  }

  /** Runs a method with an object of inputs. Returns an object of outputs. */
  run(index, inputs) {
    const instance = this.#instance;
    instance.checkLive();
    const { arguments: properties, results: outputs } = this.#methods[index];
    const slots = instance.methods[index];
    if (properties.length > 0 && (typeof inputs !== "object" || inputs === null)) {
      throw invalidArgument(`pass an object with ${properties.map(([name]) => name).join(", ")}, not ${kindOf(inputs)}`);
    }
    for (const [property, slot] of properties) {
      slots.inputs[slot].set(inputs[property]);
    }
    instance.run(index);
    const results = {};
    for (const [property, slot] of outputs) {
      results[property] = slots.outputs[slot].get();
    }
    return results;
  }

  reset() {
    this.#instance.reset();
  }

  dispose() {
    this.#instance.dispose();
  }
}

/** Loads a model of a library. */
export async function loadModel(library, model, options = {}) {
  // The downloads run while the module is compiled.
  const files = openFiles(model, options);
  const instance = await createInstance(library, model.name, options);
  return loadOrDispose(instance, async () => {
    await copyFiles(instance, model, files, options.onProgress);
    instance.load(model.index, model.digest);
    instance.readMethods(model.methods);
    return new LoadedModel(instance, model.methods);
  });
}

/** Returns the argument of a generated constructor, which only `load` calls. */
export function checkLoaded(object, name) {
  if (!(object instanceof LoadedModel)) {
    throw new TypeError(`call await ${name}.load()`);
  }
  return object;
}
