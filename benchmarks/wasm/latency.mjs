// Loads WASI modules of latency.c, libraries of executorch_wasm_library, ONNX and LiteRT models, runs
// them in turn, and returns their latencies. Used by measure.mjs, in Node and in a browser.
//
// An input is an object with the `name` and `sizes` of a tensor, and its `values`.

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

// The image of latency.c, for MobileNetV2.
function testImage() {
  let state = 1;
  const values = new Float32Array(3 * 224 * 224).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) * 2 ** -23 - 1;
  });
  return { name: "x", sizes: [1, 3, 224, 224], values };
}

// A sentence, for MiniLM.
function testTokens(count) {
  const values = Int32Array.from({ length: count }, (_, i) => 1000 + ((i * 3571) % 20000));
  return { name: "tokens", sizes: [1, count], values };
}

// The values as JavaScript passes them to int64 tensors.
function int64Values(values) {
  return values instanceof Int32Array ? BigInt64Array.from(values, BigInt) : values;
}

// The hash of latency.c: FNV-1a.
function hashOf(values) {
  let hash = 2166136261;
  for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength)) {
    hash = Math.imul(hash ^ byte, 16777619);
  }
  return `hash ${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

// The largest difference of the values, relative to the largest value.
function differenceOf(values, expected) {
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return values.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0) / largest;
}

// Returns a function that calls `run` several times, and returns the latencies and the result.
function callRunner(run, now) {
  return async (calls) => {
    const times = [];
    let values;
    for (let i = 0; i < calls; i++) {
      const start = now();
      const result = run();
      // A synchronous call must not pay for a turn of the event loop.
      values = result instanceof Promise ? await result : result;
      times.push(now() - start);
    }
    return [times, values];
  };
}

// A library of executorch_wasm_library with one class.
async function libraryRunner(url, threads, { name, values }, now) {
  const { ExecutorchError, Program, ...classes } = await import(url);
  const net = await Object.values(classes)[0].load({ threads });
  const inputs = { [name]: int64Values(values) };
  return callRunner(() => net.forward(inputs).output0, now);
}

// An ONNX model in onnxruntime-web.
async function onnxRunner(bytes, threads, { sizes, values }, now, ort) {
  ort.env.wasm.numThreads = threads;
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const type = values instanceof Int32Array ? "int64" : "float32";
  const feeds = { [session.inputNames[0]]: new ort.Tensor(type, int64Values(values), sizes) };
  return callRunner(async () => (await session.run(feeds))[session.outputNames[0]].data, now);
}

// A LiteRT model in LiteRT.js. The converter changes int64 to int32.
async function litertRunner(bytes, threads, { sizes, values }, now, litert) {
  const model = await litert.loadAndCompile(bytes, { accelerator: "wasm", cpuOptions: { numThreads: threads } });
  const run = async () => {
    const input = new litert.Tensor(values, sizes);
    const [output] = await model.run(input);
    const result = output.toTypedArray().slice();
    input.delete();
    output.delete();
    return result;
  };
  return callRunner(run, now);
}

async function runnerOf(path, threads, input, { read, urlOf, now, ort, litert }) {
  if (path.endsWith(".mjs")) return libraryRunner(urlOf(path), threads, input, now);
  if (path.endsWith(".onnx")) return onnxRunner(await read(path), threads, input, now, await ort());
  if (path.endsWith(".tflite")) return litertRunner(await read(path), threads, input, now, await litert());
  return moduleRunner(await read(path), now);
}

// Describes a result: the hash that a WASI module printed, or the values and those of the first library or model.
function describeResult(result, expected) {
  return typeof result === "string" ? result : `${hashOf(result)}, difference ${differenceOf(result, expected).toExponential(0)}`;
}

// Measures `items` in turn: paths, or `path@threads`. `tokens` is the number of MiniLM's tokens; 0 for MobileNetV2.
// `environment` has these functions: `read` returns the bytes of a path, `urlOf` its URL, `now` milliseconds; `ort` and
// `litert` import these engines. If it has `cpuTime`, which returns milliseconds as well, the latencies are means of it.
export async function measure(items, rounds, tokens, environment) {
  const calls = 12;
  const input = tokens > 0 ? testTokens(tokens) : testImage();
  const runners = [];
  for (const item of items) {
    const [path, threads = "1"] = item.split("@");
    runners.push(await runnerOf(path, Number(threads), input, environment));
  }
  const times = items.map(() => []);
  const results = [];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < items.length; i++) {
      const start = await environment.cpuTime?.();
      const [latencies, result] = await runners[i](calls);
      const spent = environment.cpuTime && (await environment.cpuTime()) - start;
      results[i] = result;
      // The engine optimizes functions during the first round.
      if (spent === undefined) {
        times[i].push(...latencies.slice(round === 0 ? calls - 1 : 2));
      } else if (round > 0 || rounds === 1) {
        times[i].push(spent / calls);
      }
    }
  }
  const expected = results.find((result) => typeof result !== "string");
  return items.map((item, i) => {
    const sorted = times[i].sort((a, b) => a - b);
    const format = (time) => time.toFixed(2).padStart(7);
    return `${format(sorted[sorted.length >> 1])} ms (best ${format(sorted[0])})  ${item}  ${describeResult(results[i], expected)}`;
  });
}
