// Runs the model, so that the page stays responsive.
import { Classifier } from "./classifier.mjs";

const start = performance.now();
const classifier = await Classifier.load({
  onProgress: ({ loaded, total }) => postMessage({ kind: "progress", loaded, total }),
});
const code = performance.getEntriesByType("resource").find(({ name }) => name.endsWith(".wasm"));
postMessage({ kind: "ready", milliseconds: performance.now() - start, codeBytes: code.decodedBodySize });

/** Returns the probabilities of scores. */
function softmax(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b));
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

addEventListener("message", ({ data: { image } }) => {
  try {
    const begin = performance.now();
    const { output0: scores } = classifier.forward({ image });
    const milliseconds = performance.now() - begin;
    postMessage({ kind: "result", probabilities: softmax(Float32Array.from(scores)), milliseconds });
  } catch (error) {
    postMessage({ kind: "error", message: error.message });
  }
});
