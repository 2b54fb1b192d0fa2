// A thread of an object (threads.mjs). It runs chunks of ops in the memory of the object.

async function start(port, { module, memory, index, stack, tls }) {
  let exports;
  try {
    ({ exports } = await WebAssembly.instantiate(module, { env: { memory } }));
    exports.__stack_pointer.value = stack;
    exports.__wasm_init_tls(tls);
  } catch (error) {
    port.postMessage({ error: error.message });
    return;
  }
  port.postMessage({});
  try {
    exports.work(index);
  } catch {
    // A trap. The thread that runs the method traps as well, and throws the error.
    exports.fail_run();
  }
}

if (typeof WorkerGlobalScope === "function") {
  globalThis.onmessage = ({ data }) => start(globalThis, data);
} else {
  import("node:worker_threads").then(({ parentPort }) => {
    parentPort.once("message", (task) => start(parentPort, task));
  });
}
