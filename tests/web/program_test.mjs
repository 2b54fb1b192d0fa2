import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { elements, fails, ROW } from "./helpers.mjs";
import { ExecutorchError, OneRow, Program } from "./nets.mjs";

const read = (name) => Uint8Array.from(readFileSync(new URL(name, import.meta.url)));

test("a program runs without a generated class", async () => {
  const program = await Program.open(read("nets.OneRow.pte"), { weights: read("nets.OneRow.ptd") });
  const [{ name, inputs, outputs }] = program.methods;
  assert.equal(name, "forward");
  assert.deepEqual(inputs, [{ kind: "tensor", dtype: "float32", sizes: [1, 8], dimOrder: [0, 1] }]);
  assert.deepEqual(outputs, [{ kind: "tensor", dtype: "float32", sizes: [1, 4], dimOrder: [0, 1] }]);
  const [output] = program.run("forward", [ROW]);
  assert.deepEqual(elements(output), elements((await OneRow.load()).forward({ x: ROW }).output0));
  program.dispose();
  await fails("INVALID_STATE", "program is disposed; load it again", () => program.run("forward", [ROW]));
});

test("ranges of sizes and integers are described", async () => {
  const program = await Program.open(read("nets.IntegerInputs.pte"));
  const { inputs } = program.methods[0];
  assert.deepEqual(inputs[0].sizes, [{ min: 6, max: 8, step: 1 }, 3]);
  assert.deepEqual(inputs[1], { kind: "int", range: { min: 0n, max: 3n, step: 1n } });
  assert.deepEqual(program.run("forward", [new Float32Array(18), 3, 2, 5])[0].sizes, [2, 2]);
});

test("misuse is an error", async () => {
  const program = await Program.open(read("nets.OneRow.pte"), { weights: read("nets.OneRow.ptd") });
  await fails("NOT_FOUND", "the program has no method 'fly'; its methods are: forward", () => program.run("fly"));
  await fails("INVALID_ARGUMENT", "inputs[0]: pass a Float32Array, not undefined", () => program.run("forward"));
  await fails("INVALID_ARGUMENT", "2 inputs; pass 1", () => program.run("forward", [ROW, ROW]));
});

test("damaged programs are errors", async () => {
  const good = read("nets.IntegerInputs.pte");
  for (const bytes of [new Uint8Array(0), new Uint8Array(64), good.subarray(0, 40), good.map((byte) => byte ^ 255)]) {
    await assert.rejects(Program.open(bytes), ExecutorchError);
  }
  await fails("NOT_FOUND", /./, () => Program.open(read("nets.OneRow.pte")));
});
