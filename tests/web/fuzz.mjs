// Opens damaged programs, and runs those that load: `fuzz.mjs SECONDS [SEED]`.
//
// Every failure must be an ExecutorchError. A trap has the status INTERNAL.
import { readFileSync } from "node:fs";

import { ExecutorchError, Program } from "./nets.mjs";

const [seconds, firstSeed = "1"] = process.argv.slice(2);
const NAMES = ["BorrowedInputs", "EncodeDecode", "IntegerInputs", "KvCacheDecoder", "Noise", "OddNames", "TwoDynamicSizes"];
const ARRAYS = {
  bool: Uint8Array,
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
};

/** xorshift32: the sequence depends only on the seed. */
function generator(seed) {
  let state = seed >>> 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const VALUES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 0x7f, 0x80, 0xff];

/** Changes some bytes or words; half of them in the tables, at the start. */
function damage(bytes, random) {
  const damaged = bytes.slice(0, random(20) === 0 ? random(bytes.length) : bytes.length);
  const view = new DataView(damaged.buffer);
  for (let count = 1 + random(4); count > 0 && damaged.length > 8; count--) {
    const bound = random(2) === 0 ? Math.min(damaged.length, 4096) : damaged.length;
    const place = random(bound - 4);
    switch (random(3)) {
      case 0:
        damaged[place] ^= 1 << random(8);
        break;
      case 1:
        damaged[place] = VALUES[random(VALUES.length)];
        break;
      default:
        view.setInt32(place & ~3, random(2) === 0 ? random(256) - 128 : 2 ** 31 - random(4), true);
    }
  }
  return damaged;
}

function inputFor(slot) {
  if (slot.kind === "int") {
    return slot.range === undefined ? undefined : slot.range.min;
  }
  const ArrayType = ARRAYS[slot.dtype] ?? Uint16Array;
  const sizes = (slot.sizes ?? []).map((size) => (typeof size === "number" ? size : size.max));
  const count = sizes.reduce((a, b) => a * b, slot.dtype?.startsWith("complex") ? 2 : 1);
  return count > 1e6 ? undefined : { data: new ArrayType(count), sizes };
}

async function attempt(bytes, counts) {
  const program = await Program.open(bytes, { maxSteps: 2000, randomSeed: 1 });
  counts.loaded++;
  for (const { name, inputs } of program.methods) {
    program.run(name, inputs.map(inputFor));
    counts.run++;
  }
}

const programs = NAMES.map((name) => Uint8Array.from(readFileSync(new URL(`nets.${name}.pte`, import.meta.url))));
const counts = { programs: 0, loaded: 0, run: 0 };
const statuses = {};
const end = performance.now() + 1000 * Number(seconds);
for (let seed = Number(firstSeed); performance.now() < end; seed++) {
  const random = generator(seed * 2654435761);
  random(2);
  const bytes = damage(programs[random(programs.length)], random);
  counts.programs++;
  try {
    await attempt(bytes, counts);
  } catch (error) {
    if (!(error instanceof ExecutorchError) || error.status === "INTERNAL") {
      console.error(`seed ${seed}`);
      throw error;
    }
    statuses[error.status] = (statuses[error.status] ?? 0) + 1;
  }
}
console.log(JSON.stringify({ ...counts, statuses }));
if (counts.loaded === 0 || counts.run === 0) {
  throw new Error("no damaged program ran");
}
