// Loads WASI modules of latency.c and ONNX models, runs them in turn, and returns their latencies.
// Used by measure.mjs, in Node and in a browser.

const NOT_SUPPORTED = 52; // ENOSYS of WASI

// Runs a module and returns the lines that it prints. `now` returns milliseconds.
async function runModule(module, calls, now) {
  const args = ["latency", String(calls)].map((text) => new TextEncoder().encode(text + "\0"));
  let memory;
  let output = "";
  const view = () => new DataView(memory.buffer);
  const functions = {
    args_sizes_get(count, size) {
      view().setUint32(count, args.length, true);
      view().setUint32(size, args.reduce((sum, arg) => sum + arg.length, 0), true);
      return 0;
    },
    args_get(pointers, to) {
      for (const arg of args) {
        view().setUint32(pointers, to, true);
        new Uint8Array(memory.buffer, to).set(arg);
        pointers += 4;
        to += arg.length;
      }
      return 0;
    },
    clock_time_get(id, precision, result) {
      view().setBigUint64(result, BigInt(Math.round(now() * 1e6)), true);
      return 0;
    },
    fd_fdstat_get: () => 0,
    fd_write(file, vectors, count, written) {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const from = view().getUint32(vectors + 8 * i, true);
        const size = view().getUint32(vectors + 8 * i + 4, true);
        output += new TextDecoder().decode(memory.buffer.slice(from, from + size));
        total += size;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    proc_exit(code) {
      throw new Error(`exit code ${code}: ${output}`);
    },
  };
  const imports = new Proxy(functions, { get: (known, name) => known[name] ?? (() => NOT_SUPPORTED) });
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
  memory = instance.exports.memory;
  instance.exports._start();
  return output.trim().split("\n");
}

// Returns a function that runs a module several times, and returns the latencies and a hash.
async function moduleRunner(bytes, now) {
  const module = await WebAssembly.compile(bytes);
  return async (calls) => {
    const lines = await runModule(module, calls, now);
    const hash = lines.pop();
    return [lines.map(Number), hash];
  };
}

// The same for an ONNX model with an input of 3 x 224 x 224, in onnxruntime-web with one thread.
async function onnxRunner(bytes, now, ort) {
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const image = new Float32Array(3 * 224 * 224).map((_, i) => Math.sin(i));
  const feeds = { [session.inputNames[0]]: new ort.Tensor("float32", image, [1, 3, 224, 224]) };
  return async (calls) => {
    const times = [];
    for (let i = 0; i < calls; i++) {
      const start = now();
      await session.run(feeds);
      times.push(now() - start);
    }
    return [times, ""];
  };
}

// Measures `items` (paths) in turn. `read` returns the bytes of a path, `ort` imports onnxruntime-web.
export async function measure(items, rounds, { read, now, ort }) {
  const calls = 12;
  const runners = [];
  for (const item of items) {
    const bytes = await read(item);
    runners.push(await (item.endsWith(".onnx") ? onnxRunner(bytes, now, await ort()) : moduleRunner(bytes, now)));
  }
  const times = items.map(() => []);
  const hashes = [];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < items.length; i++) {
      const [latencies, hash] = await runners[i](calls);
      // The engine optimizes functions during the first round.
      times[i].push(...latencies.slice(round === 0 ? calls - 1 : 2));
      hashes[i] = hash;
    }
  }
  return items.map((item, i) => {
    const sorted = times[i].sort((a, b) => a - b);
    const format = (time) => time.toFixed(2).padStart(7);
    return `${format(sorted[sorted.length >> 1])} ms (best ${format(sorted[0])})  ${item}  ${hashes[i]}`;
  });
}
