import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { elements, fails, ROW } from "./helpers.mjs";
import { MobilenetCpu as SingleThreaded } from "./mobilenet.mjs";
import * as texts from "./texts.mjs";
import * as threaded from "./threaded.mjs";

const { MobilenetCpu, OneRow, Program } = threaded;

const IMAGE = Float32Array.from({ length: 3 * 224 * 224 }, (_, i) => Math.sin(i * 0.37));
const VARIANT = "simd";

const bits = (tensor) => Buffer.from(tensor.buffer).toString("hex");

test("SIMD computes the bits of plain WebAssembly", async () => {
  const results = ["plain", "simd"].map(async (variant) => {
    const net = await SingleThreaded.load({ variant });
    return bits(net.forward({ x: IMAGE }).output0);
  });
  const [plain, simd] = await Promise.all(results);
  assert.equal(simd, plain);
});

test("results have the same bits for all numbers of threads", async () => {
  const net = await SingleThreaded.load({ variant: VARIANT, threads: 4 });
  assert.equal(net.threads, 1);
  const expected = bits(net.forward({ x: IMAGE }).output0);
  for (const threads of [1, 2, 3, 4, 32]) {
    const threaded = await MobilenetCpu.load({ variant: VARIANT, threads });
    assert.equal(threaded.threads, threads);
    for (let i = 0; i < 5; i++) {
      assert.equal(bits(threaded.forward({ x: IMAGE }).output0), expected, `${threads} threads`);
    }
    threaded.dispose();
  }
});

test("calls find sleeping workers", async () => {
  const net = await MobilenetCpu.load({ variant: VARIANT, threads: 2 });
  const expected = bits(net.forward({ x: IMAGE }).output0);
  for (const pause of [1, 5, 50]) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    assert.equal(bits(net.forward({ x: IMAGE }).output0), expected);
  }
  net.dispose();
});

test("objects and programs share the module", async () => {
  const nets = await Promise.all([1, 2, 3].map((threads) => OneRow.load({ threads })));
  const results = nets.map((net) => elements(net.forward({ x: ROW }).output0));
  assert.deepEqual(results[1], results[0]);
  assert.deepEqual(results[2], results[0]);
  nets[0].dispose();
  assert.deepEqual(elements(nets[1].forward({ x: ROW }).output0), results[0]);
  const program = await Program.open(new URL("threaded.OneRow.pte", import.meta.url), {
    weights: new URL("threaded.OneRow.ptd", import.meta.url),
    threads: 2,
  });
  assert.equal(program.threads, 2);
  assert.deepEqual(elements(program.run("forward", [ROW])[0]), results[0]);
  program.dispose();
  await fails("INVALID_STATE", "program is disposed; load it again", () => program.threads);
  nets.forEach((net) => net.dispose());
});

test("tokenizers of a library with threads compute the same tokens", async () => {
  const net = await OneRow.load({ threads: 2 });
  const text = "How do I bake bread, sail 🚢 or naïvely wait?";
  for (const name of ["AddedTokenizer", "ChatTokenizer", "LlamaTokenizer", "SearchTokenizer"]) {
    const [expected, tokenizer] = await Promise.all([texts[name].load(), threaded[name].load()]);
    const tokens = tokenizer.encode(text);
    assert.ok(tokens.length > 2, name);
    assert.deepEqual(tokens, expected.encode(text), name);
    assert.equal(tokenizer.decode(tokens), expected.decode(tokens), name);
    tokenizer.dispose();
  }
  assert.equal(net.threads, 2);
  net.dispose();
});

test("the default is at most four threads", async () => {
  const net = await OneRow.load();
  assert.ok(net.threads >= 1 && net.threads <= 4, `${net.threads}`);
  net.dispose();
});

test("wrong numbers of threads are errors", async () => {
  for (const threads of [0, 33, 1.5, "2", null]) {
    await fails("INVALID_ARGUMENT", `threads: pass an integer from 1 to 32, not ${threads}`, () => OneRow.load({ threads }));
  }
});

test("damaged programs are errors, and end the workers", async () => {
  for (let i = 0; i < 20; i++) {
    await fails("INVALID_PROGRAM", /./, () => Program.open(new Uint8Array(100), { threads: 2 }));
  }
});

test("without SharedArrayBuffer, one thread computes the same results", async () => {
  const { SharedArrayBuffer: saved } = globalThis;
  delete globalThis.SharedArrayBuffer;
  try {
    const net = await OneRow.load({ threads: 2 });
    assert.equal(net.threads, 1);
    assert.deepEqual(elements(net.forward({ x: ROW }).output0), elements((await OneRow.load()).forward({ x: ROW }).output0));
    net.dispose();
  } finally {
    globalThis.SharedArrayBuffer = saved;
  }
});

test("a trap of a worker ends the run and the object", async () => {
  const { instantiate } = WebAssembly;
  let exports;
  WebAssembly.instantiate = async (...args) => {
    const instance = await instantiate(...args);
    ({ exports } = instance);
    return instance;
  };
  const net = await MobilenetCpu.load({ variant: VARIANT, threads: 2 }).finally(() => {
    WebAssembly.instantiate = instantiate;
  });
  // A worker calls it when it traps.
  exports.fail_run();
  await fails("INTERNAL", /MobilenetCpu trapped, and is disposed/, () => net.forward({ x: IMAGE }));
  await fails("INVALID_STATE", "MobilenetCpu is disposed; load it again", () => net.forward({ x: IMAGE }));
});

test("a missing worker file is an error", async () => {
  const folder = mkdtempSync(join(tmpdir(), "threads-"));
  const place = (name) => new URL(name, import.meta.url);
  try {
    copyFileSync(place("threaded.mjs"), join(folder, "threaded.mjs"));
    const { Program: Moved } = await import(pathToFileURL(join(folder, "threaded.mjs")));
    const options = { threads: 2, wasm: place(`threaded.${VARIANT}.wasm`) };
    const message = /threaded\.worker\.mjs: the worker cannot be started; deploy the file/;
    await fails("ACCESS_FAILED", message, () => Moved.open(place("threaded.OneRow.pte"), options));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const argument of ["dispose", "keep"]) {
  test(`a process ends after its last statement: ${argument}`, () => {
    const program = fileURLToPath(new URL("threads_program.mjs", import.meta.url));
    const flags = ["--preserve-symlinks", "--preserve-symlinks-main"];
    const result = spawnSync("node", [...flags, program, argument], { encoding: "utf8", timeout: 30_000 });
    assert.deepEqual([result.status, result.stdout, result.stderr], [0, "2\n", ""]);
  });
}
