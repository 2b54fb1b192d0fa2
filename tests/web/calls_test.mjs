import assert from "node:assert/strict";
import test from "node:test";
import { runInNewContext } from "node:vm";

import { elements, fails, ROW } from "./helpers.mjs";
import { EncodeDecode, IntegerInputs, KvCacheDecoder, Noise, OddNames, OneRow, TwoDynamicSizes } from "./nets.mjs";

test("outputs are copies with sizes, strides and dtype", async () => {
  const net = await OneRow.load();
  const { output0: first } = net.forward({ x: ROW });
  assert.ok(first instanceof Float32Array);
  assert.deepEqual([first.sizes, first.strides, first.dtype], [[1, 4], [4, 1], "float32"]);
  const before = elements(first);
  const { output0: second } = net.forward({ x: ROW.map((value) => 2 * value) });
  assert.deepEqual(elements(first), before);
  assert.notDeepEqual(elements(second), before);
});

test("a view of a larger buffer is an input", async () => {
  const net = await OneRow.load();
  const large = new Float32Array(12);
  large.set(ROW, 3);
  assert.deepEqual(elements(net.forward({ x: large.subarray(3, 11) }).output0), elements(net.forward({ x: ROW }).output0));
});

test("arrays of another realm are inputs", async () => {
  const net = await OneRow.load();
  const x = runInNewContext("Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)");
  assert.ok(!(x instanceof Float32Array));
  assert.deepEqual(elements(net.forward({ x }).output0), elements(net.forward({ x: ROW }).output0));
});

test("wrong element counts and types are errors that name the input", async () => {
  const net = await OneRow.load();
  for (const count of [0, 7, 9, 16]) {
    await fails("INVALID_ARGUMENT", `x: ${count} elements; pass 8`, () => net.forward({ x: new Float32Array(count) }));
  }
  for (const [value, kind] of [
    [undefined, "undefined"],
    [null, "null"],
    [[1, 2], "Array"],
    [new Float64Array(8), "Float64Array"],
    [new DataView(new ArrayBuffer(32)), "DataView"],
    [5, "number"],
  ]) {
    await fails("INVALID_ARGUMENT", `x: pass a Float32Array, not ${kind}`, () => net.forward({ x: value }));
  }
  await fails("INVALID_ARGUMENT", "pass an object with x, not undefined", () => net.forward());
  assert.deepEqual(net.forward({ x: ROW }).output0.sizes, [1, 4]);
});

test("integers are numbers or bigints in their range", async () => {
  const net = await IntegerInputs.load();
  const x = new Float32Array(18);
  assert.deepEqual(net.forward({ x, start: 3, count: 2n, scale: 5 }).output0.sizes, [2, 2]);
  await fails("NOT_SUPPORTED", "x: size 9 of dim 0 is out of range; pass 6 to 8", () =>
    net.forward({ x: new Float32Array(27), start: 1, count: 2, scale: 5 }),
  );
  await fails("INVALID_ARGUMENT", "x: 20 elements; pass a multiple of 3", () =>
    net.forward({ x: new Float32Array(20), start: 1, count: 2, scale: 5 }),
  );
  await fails("NOT_SUPPORTED", "start: 4 is out of range; pass 0 to 3", () =>
    net.forward({ x, start: 4, count: 2, scale: 5 }),
  );
  for (const [value, kind] of [
    [1.5, "1.5"],
    ["1", "string"],
    [undefined, "undefined"],
    [2n ** 63n, "9223372036854775808"],
  ]) {
    await fails("INVALID_ARGUMENT", `start: pass an integer, not ${kind}`, () =>
      net.forward({ x, start: value, count: 2, scale: 5 }),
    );
  }
});

test("several dynamic sizes are passed with the elements", async () => {
  const net = await TwoDynamicSizes.load();
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  const { output0: columns } = net.forward({ x: { data, sizes: [2, 3] } });
  assert.deepEqual([columns.sizes, elements(columns)], [[3, 2], [2, 8, 4, 10, 6, 12]]);
  // An output has sizes, so it can be an input.
  assert.deepEqual(net.forward({ x: columns }).output0.sizes, [2, 3]);
  const sizesAre = (sizes) => `x: sizes are [${sizes}]; pass 2 integers from 0 on`;
  await fails("INVALID_ARGUMENT", "x: several sizes are dynamic; pass them, as { data, sizes }", () => net.forward({ x: data }));
  for (const sizes of [[6], [-2, -3], [1.5, 4], [2, "3"], [1, 2, 3]]) {
    await fails("INVALID_ARGUMENT", sizesAre(sizes), () => net.forward({ x: { data, sizes } }));
  }
  await fails("INVALID_ARGUMENT", "x: 6 elements; pass 8", () => net.forward({ x: { data, sizes: [2, 4] } }));
  await fails("NOT_SUPPORTED", "x: size 0 of dim 0 is out of range; pass 1 to 4", () =>
    net.forward({ x: { data: new Float32Array(0), sizes: [0, 3] } }),
  );
  await fails("INVALID_ARGUMENT", "x: sizes are [4294967296,0]; the largest size is 2147483647", () =>
    net.forward({ x: { data: new Float32Array(0), sizes: [2 ** 32, 0] } }),
  );
});

test("names are in camel case, and avoid keywords and functions of the class", async () => {
  const net = await OddNames.load();
  const x = Float32Array.of(1, 2, 3, 4);
  assert.deepEqual(elements(net.load_({ call: x }).output0), [2, 3, 4, 5]);
  const outputs = net.match({ crate: x, fn: Float32Array.of(0, 2, 4, 0) });
  assert.deepEqual(Object.keys(outputs), ["struct", "aB"]);
  assert.deepEqual([outputs.struct.dtype, elements(outputs.struct)], ["bool", [1, 0, 0, 1]]);
  assert.deepEqual([outputs.aB.dtype, elements(outputs.aB)], ["float16", [0x3c00, 0x4000, 0x4200, 0x4400]]);
});

test("methods of one object share the state, and reset restores it", async () => {
  const net = await KvCacheDecoder.load();
  const run = () => {
    const { output0: prompt } = net.prefill({ tokens: BigInt64Array.of(1n, 2n, 3n), positions: BigInt64Array.of(0n, 1n, 2n) });
    const { output0: next } = net.decode({ tokens: BigInt64Array.of(4n), positions: BigInt64Array.of(3n) });
    return [...elements(prompt), ...elements(next)];
  };
  const first = run();
  net.reset();
  assert.deepEqual(run(), first);
});

test("several methods are functions", async () => {
  const net = await EncodeDecode.load();
  const { output0: codes } = net.encode({ rows: new Float32Array(32).fill(0.5) });
  assert.deepEqual(net.decode({ codes }).output0.sizes, [2, 16]);
});

test("the seed determines random numbers", async () => {
  const draw = async (randomSeed) => elements((await Noise.load({ randomSeed })).forward({ x: new Float32Array(4) }).output0);
  assert.deepEqual(await draw(7), await draw(7n));
  assert.notDeepEqual(await draw(7), await draw(8));
  const unseeded = await Noise.load();
  await fails("INVALID_ARGUMENT", /random/, () => unseeded.forward({ x: new Float32Array(4) }));
  await fails("INVALID_ARGUMENT", "randomSeed: pass an integer, not string", () => Noise.load({ randomSeed: "7" }));
});

test("disposed objects throw", async () => {
  const net = await OneRow.load();
  net.dispose();
  net.dispose();
  for (const action of [() => net.forward({ x: ROW }), () => net.reset(), () => net.memoryBytes]) {
    await fails("INVALID_STATE", "OneRow is disposed; load it again", action);
  }
  if (Symbol.dispose !== undefined) {
    (await OneRow.load())[Symbol.dispose]();
  }
});

test("constructors are private", () => {
  assert.throws(() => new OneRow(), { name: "TypeError", message: "call await OneRow.load()" });
});

test("objects are independent", async () => {
  const [a, b] = await Promise.all([OneRow.load(), OneRow.load()]);
  const expected = elements(a.forward({ x: ROW }).output0);
  a.dispose();
  assert.deepEqual(elements(b.forward({ x: ROW }).output0), expected);
});
