import { ExecutorchError, invalidArgument } from "./errors.mjs";

// The smallest memory that is tried, and the largest that a module can have, in pages of 64 KB.
const FIRST_PAGES = 6;
const MAX_PAGES = 65535;

// As in bindings/web/wasm/pool.c.
const MAX_THREADS = 32;
const DEFAULT_MAX_THREADS = 4;

const STACK_BYTES = 256 * 1024;

/** Returns whether threads can share the memory of the module. */
function hasSharedMemory(module) {
  return WebAssembly.Module.imports(module).some(({ kind }) => kind === "memory");
}

/** Reserves address space for the largest memory that the system allows. */
function createMemory(initial) {
  for (let maximum = MAX_PAGES; ; maximum >>= 1) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch (error) {
      if (maximum <= initial) {
        throw error;
      }
    }
  }
}

/** Instantiates a module on a new shared memory. Returns the exports, with the memory. */
async function instantiateShared(module) {
  // JavaScript cannot read the size that the module declares.
  for (let pages = FIRST_PAGES; ; pages = Math.ceil(pages * 1.25)) {
    const memory = createMemory(pages);
    try {
      const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
      return { ...exports, memory };
    } catch (error) {
      if (!(error instanceof WebAssembly.LinkError) || pages >= MAX_PAGES / 2) {
        throw error;
      }
    }
  }
}

/** Returns whether workers can share memory. In pages, this needs cross-origin isolation. */
function canShareMemory() {
  return typeof SharedArrayBuffer === "function" && globalThis.crossOriginIsolated !== false;
}

/** Returns whether this thread can sleep. The main thread of a page cannot. */
function canSleep() {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

async function processorCount() {
  if (globalThis.navigator?.hardwareConcurrency !== undefined) {
    return navigator.hardwareConcurrency;
  }
  const { availableParallelism } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:os");
  return availableParallelism();
}

async function threadCount(wanted) {
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 1 && wanted <= MAX_THREADS)) {
    throw invalidArgument(`threads: pass an integer from 1 to ${MAX_THREADS}, not ${String(wanted)}`);
  }
  if (!canShareMemory()) {
    return 1;
  }
  return wanted ?? Math.min(await processorCount(), DEFAULT_MAX_THREADS);
}

/** Starts a worker of a browser. */
function startWebWorker(library, task, onMessage, onError) {
  const worker = library.worker();
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = (event) => onError(event.message ?? "it cannot be loaded");
  worker.postMessage(task);
  return { ready: () => undefined, end: () => worker.terminate() };
}

/** Starts a worker of Node, which does not keep the process running. */
async function startNodeWorker(library, task, onMessage, onError) {
  const { Worker: NodeWorker } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:worker_threads");
  const worker = new NodeWorker(library.workerUrl());
  worker.on("message", onMessage);
  worker.on("error", (error) => onError(error.message));
  worker.postMessage(task);
  return { ready: () => worker.unref(), end: () => worker.terminate() };
}

/** Starts a worker. Returns it when it has an instance of the module. */
async function startWorker(library, task, started) {
  const start = typeof Worker === "function" ? startWebWorker : startNodeWorker;
  let worker;
  await new Promise((resolve, reject) => {
    const fail = (reason) =>
      reject(
        new ExecutorchError(
          "ACCESS_FAILED",
          `${library.workerUrl()}: the worker cannot be started; deploy the file with the headers of the page: ${reason}`,
        ),
      );
    const onMessage = ({ error }) => (error === undefined ? resolve() : fail(error));
    Promise.resolve(start(library, task, onMessage, fail)).then((found) => started.push((worker = found)), reject);
  });
  worker.ready();
}

// Objects that are not disposed end their workers when they are collected.
const collected = new FinalizationRegistry((workers) => workers.end());

/** The workers of an object. */
class Workers {
  #exports;
  #workers;

  constructor(exports, workers) {
    this.#exports = exports;
    this.#workers = workers;
  }

  /** The number of threads: the workers, and the one that calls methods. */
  get count() {
    return this.#workers.length + 1;
  }

  /** Ends the workers when `owner` is collected. */
  endWith(owner) {
    collected.register(owner, this);
  }

  end() {
    this.#exports?.end_threads?.();
    this.#exports = undefined;
    this.#workers.forEach((worker) => worker.end());
    this.#workers = [];
  }
}

/** Starts the workers of an instance with shared memory. */
async function startWorkers(library, module, exports, wanted) {
  const count = await threadCount(wanted);
  const started = [];
  const workers = new Workers(exports, started);
  if (count === 1) {
    return workers;
  }
  const start = (index) => {
    const [stack, tls] = [STACK_BYTES, exports.__tls_size.value + 1].map((nbytes) => exports.allocate(nbytes) >>> 0);
    if (stack === 0 || tls === 0) {
      throw new ExecutorchError("MEMORY_TOO_SMALL", "threads: out of WebAssembly memory for their stacks");
    }
    const task = { module, memory: exports.memory, index, stack: stack + STACK_BYTES, tls };
    return startWorker(library, task, started);
  };
  const results = await Promise.allSettled(Array.from({ length: count - 1 }, async (_, i) => start(i + 1)));
  const failed = results.find(({ status }) => status === "rejected");
  if (failed !== undefined) {
    workers.end();
    throw failed.reason;
  }
  exports.set_threads(count, canSleep());
  return workers;
}

/** Creates an instance of the module, and the workers if they can share its memory. */
export async function instantiate(library, module, options) {
  const isShared = hasSharedMemory(module);
  const exports = isShared ? await instantiateShared(module) : (await WebAssembly.instantiate(module, {})).exports;
  exports._initialize?.();
  return { exports, workers: isShared ? await startWorkers(library, module, exports, options.threads) : undefined };
}
