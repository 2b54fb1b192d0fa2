// Compares a model with onnxruntime-web in one page. first_result.mjs calls `compare`.
import * as ort from "./ort.wasm.min.mjs";

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

async function timed(action) {
  const start = performance.now();
  const result = await action();
  return [performance.now() - start, result];
}

function relativeDifference(a, b) {
  const largest = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0) / largest;
}

/**
 * Runs both sides in turn, with one thread. Times are in milliseconds.
 *
 * @param {{module: string, name: string, variant: string, onnx: string, sizes: number[], rounds: number}} settings
 */
export async function compare({ module, name, variant, onnx, sizes, rounds }) {
  const { [name]: Net } = await import(module);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = new URL("./", import.meta.url).href;
  const count = sizes.reduce((a, b) => a * b);
  const x = Float32Array.from({ length: count }, (_, i) => Math.sin(i * 0.37));
  const [ourFirst, [net, ours]] = await timed(async () => {
    const loaded = await Net.load({ variant });
    return [loaded, loaded.forward({ x }).output0];
  });
  const [ortFirst, [session, feeds, theirs]] = await timed(async () => {
    const created = await ort.InferenceSession.create(onnx, { executionProviders: ["wasm"] });
    const inputs = { [created.inputNames[0]]: new ort.Tensor("float32", x, sizes) };
    return [created, inputs, (await created.run(inputs))[created.outputNames[0]].data];
  });
  const times = { ours: [], ort: [] };
  for (let i = 0; i < rounds; i++) {
    times.ours.push((await timed(() => net.forward({ x })))[0]);
    times.ort.push((await timed(() => session.run(feeds)))[0]);
  }
  return {
    variant,
    first: { ours: ourFirst, ort: ortFirst },
    median: { ours: median(times.ours), ort: median(times.ort) },
    minimum: { ours: Math.min(...times.ours), ort: Math.min(...times.ort) },
    difference: relativeDifference(ours, theirs),
  };
}
