// Runs the model, so that the page stays responsive.
import { Encoder, Tokenizer } from "./encoder.mjs";

const SHOWN = 10;
const MAX_TOKENS = 256;

const start = performance.now();
const [tokenizer, encoder] = await Promise.all([
  Tokenizer.load(),
  Encoder.load({
    onProgress: ({ loaded, total }) => postMessage({ kind: "progress", loaded, total }),
  }),
]);
const codeBytes = performance
  .getEntriesByType("resource")
  .filter(({ name }) => name.endsWith(".wasm"))
  .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);

/** Embeddings of sentences, so that each is computed once. Their length is 1. */
const embeddings = new Map();

const embed = (text) => encoder.forward({ tokens: tokenizer.encode(text, { maxTokens: MAX_TOKENS }) }).output0;

const cosine = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/** The number of the current request; 0 if there is none. */
let current = 0;

const messages = () => new Promise((resolve) => setTimeout(resolve));

/** Computes the embeddings of new sentences. Returns false if another request has arrived. */
async function embedAll(number, sentences) {
  let shown = performance.now();
  for (const [i, sentence] of sentences.entries()) {
    if (!embeddings.has(sentence)) {
      embeddings.set(sentence, embed(sentence));
    }
    if (performance.now() - shown > 50) {
      shown = performance.now();
      postMessage({ kind: "reading", number, done: i + 1, total: sentences.length });
      await messages();
      if (current !== number) {
        return false;
      }
    }
  }
  return true;
}

async function search({ number, query, sentences }) {
  if (!(await embedAll(number, sentences))) {
    return;
  }
  const begin = performance.now();
  const wanted = embed(query);
  const ranked = sentences
    .map((sentence) => ({ sentence, score: cosine(embeddings.get(sentence), wanted) }))
    .sort((a, b) => b.score - a.score);
  const milliseconds = performance.now() - begin;
  postMessage({ kind: "result", number, ranked: ranked.slice(0, SHOWN), total: sentences.length, milliseconds });
}

addEventListener("message", async ({ data }) => {
  current = data.kind === "search" ? data.number : 0;
  try {
    if (data.kind === "search") {
      await search(data);
    }
  } catch (error) {
    postMessage({ kind: "error", message: error.message });
  }
});

postMessage({ kind: "ready", milliseconds: performance.now() - start, codeBytes });
