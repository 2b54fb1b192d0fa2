import assert from "node:assert/strict";
import test from "node:test";

import { ROW } from "./helpers.mjs";
import { OneRow } from "./nets.mjs";

const CALLS = 100_000;

function usedHeap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

test("100,000 calls do not grow the memory", async () => {
  const net = await OneRow.load();
  const call = () => net.forward({ x: ROW });
  for (let i = 0; i < 1000; i++) {
    call();
  }
  const [heap, memory] = [usedHeap(), net.memoryBytes];
  for (let i = 0; i < CALLS; i++) {
    call();
  }
  assert.equal(net.memoryBytes, memory);
  assert.ok(usedHeap() - heap < 200_000, `${usedHeap() - heap} bytes`);
});

/** Returns the bytes of all WebAssembly memories and buffers, after garbage collection. */
async function externalBytes() {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc();
  }
  const { external, arrayBuffers } = process.memoryUsage();
  return external + arrayBuffers;
}

test("disposed objects free their memory", async () => {
  const kept = await OneRow.load();
  const before = await externalBytes();
  for (let i = 0; i < 300; i++) {
    const net = await OneRow.load();
    net.forward({ x: ROW });
    net.dispose();
  }
  const objects = ((await externalBytes()) - before) / kept.memoryBytes;
  assert.ok(objects < 20, `${objects} objects`);
});
