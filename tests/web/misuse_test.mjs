import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { IntegerInputs, OneRow, Program, TwoDynamicSizes } from "./nets.mjs";

const PAGE = "docs/reference/common_mistakes.md";
const read = (name) => Uint8Array.from(readFileSync(new URL(name, import.meta.url)));

/** Returns the messages of the page by case: rows `| case | JavaScript | message |`. */
function shown() {
  const rows = readFileSync(PAGE, "utf-8").matchAll(/^\| ([^|]+) \| JavaScript \| `([^`]+)` \|$/gm);
  return Object.fromEntries(Array.from(rows, ([, name, message]) => [name, message]));
}

async function messageOf(action) {
  try {
    await action();
    return "OK";
  } catch (error) {
    return error.name === "ExecutorchError" ? error.message : `${error.name}: ${error.message}`;
  }
}

test("messages are those of the page", async () => {
  const net = await IntegerInputs.load();
  const oneRow = await OneRow.load();
  const shaped = await TwoDynamicSizes.load();
  const [program, weights] = [read("nets.OneRow.pte"), read("nets.OneRow.ptd")];
  const call = (length, start) => net.forward({ x: new Float32Array(length), start, count: 2, scale: 5 });
  const changed = program.map((byte, i) => (i === 100 ? byte ^ 1 : byte));
  const cases = {
    size: () => call(27, 0),
    count: () => call(20, 0),
    integer: () => call(18, 4),
    "not an integer": () => call(18, 0.5),
    "fixed count": () => oneRow.forward({ x: new Float32Array(7) }),
    "wrong elements": () => oneRow.forward({ x: new Float64Array(8) }),
    "missing input": () => oneRow.forward({ y: new Float32Array(8) }),
    "missing sizes": () => shaped.forward({ x: new Float32Array(6) }),
    "truncated program": () => Program.open(program.subarray(0, 64), { weights }),
    "truncated weights": () => Program.open(program, { weights: weights.subarray(0, 64) }),
    "no program": () => Program.open(weights),
    "short": () => OneRow.load({ program: program.subarray(0, 2) }),
    "another file": () => OneRow.load({ program: changed }),
    "missing": () => OneRow.load({ program: "file:///missing.pte" }),
    "constructor": () => new OneRow(),
  };
  const found = {};
  for (const [name, action] of Object.entries(cases)) {
    found[name] = await messageOf(action);
  }
  oneRow.dispose();
  found.closed = await messageOf(() => oneRow.forward({ x: new Float32Array(8) }));
  assert.deepEqual(found, shown());
});
