import { dtypeOf, isArrayOf } from "./dtypes.mjs";
import { invalidArgument, kindOf } from "./errors.mjs";

// Layout of et_web_slot (bindings/web/wasm/instance.h): offsets in bytes.
const SLOT_BYTES = 320;
const VALUE = 0;
const MIN = 8;
const MAX = 16;
const STEP = 24;
const TAG = 32;
const DTYPE = 36;
const DATA = 40;
const NBYTES = 44;
const CAPACITY = 48;
const IS_ARGUMENT = 52;
const RANK = 56;
const IS_DYNAMIC = 60;
const SIZES = 64;
const MIN_SIZES = 128;
const SIZE_STEPS = 192;
const DIM_ORDER = 256;

// Tags of values (runtime/include/executorch/value.h).
const KINDS = new Map([
  [1, "null"],
  [2, "int"],
  [3, "bool"],
  [4, "double"],
  [5, "tensor"],
  [6, "string"],
]);

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

export const decoder = new TextDecoder();

/** Returns the strides of a dense tensor, in elements. */
function stridesOf(sizes, dimOrder) {
  const strides = new Array(sizes.length);
  let stride = 1;
  for (let i = sizes.length - 1; i >= 0; i--) {
    strides[dimOrder[i]] = stride;
    stride *= Math.max(sizes[dimOrder[i]], 1);
  }
  return strides;
}

/** An input or output of a loaded method, in the memory of its instance. */
export class Slot {
  #memory;
  #address;

  /** @param {{view: DataView, bytes: Uint8Array}} memory */
  constructor(memory, start, index, name) {
    const { view } = memory;
    this.#memory = memory;
    this.#address = start + index * SLOT_BYTES;
    this.name = name;
    this.kind = KINDS.get(this.#int(TAG)) ?? "list";
    this.isArgument = this.#int(IS_ARGUMENT) !== 0;
    if (this.kind === "tensor") {
      const rank = this.#int(RANK);
      this.dtype = dtypeOf(this.#int(DTYPE));
      this.isDynamic = this.#int(IS_DYNAMIC) !== 0;
      this.maxSizes = this.#ints(SIZES, rank);
      this.minSizes = this.#ints(MIN_SIZES, rank);
      this.sizeSteps = this.#ints(SIZE_STEPS, rank);
      this.dimOrder = this.#ints(DIM_ORDER, rank);
      this.capacity = view.getUint32(this.#address + CAPACITY, true);
    } else if (this.isArgument) {
      this.min = view.getBigInt64(this.#address + MIN, true);
      this.max = view.getBigInt64(this.#address + MAX, true);
      this.step = view.getBigInt64(this.#address + STEP, true);
    }
  }

  #int(offset) {
    return this.#memory.view.getInt32(this.#address + offset, true);
  }

  #ints(offset, count) {
    return Array.from({ length: count }, (_, i) => this.#int(offset + 4 * i));
  }

  /** Describes the slot, as Program.methods does. */
  describe() {
    const { kind } = this;
    if (kind === "tensor") {
      const range = (max, i) => {
        const min = this.minSizes[i];
        const step = this.sizeSteps[i];
        return this.isDynamic && step !== 0 ? { min, max, step } : max;
      };
      return { kind, dtype: this.dtype.name, sizes: this.maxSizes.map(range), dimOrder: this.dimOrder };
    }
    return this.isArgument ? { kind, range: { min: this.min, max: this.max, step: this.step } } : { kind };
  }

  /** Sets the input for the next run. */
  set(value) {
    if (this.kind === "tensor") {
      this.#setTensor(value);
    } else {
      this.#setInt(value);
    }
  }

  #setInt(value) {
    const isInteger = typeof value === "bigint" || Number.isSafeInteger(value);
    const exact = isInteger ? BigInt(value) : 0n;
    if (!isInteger || exact < MIN_INT64 || exact > MAX_INT64) {
      const given = isInteger || typeof value === "number" ? value : kindOf(value);
      throw invalidArgument(`${this.name}: pass an integer, not ${given}`);
    }
    this.#memory.view.setBigInt64(this.#address + VALUE, exact, true);
  }

  #setTensor(value) {
    const given = value?.data !== undefined && !ArrayBuffer.isView(value) ? value.data : value;
    const { dtype } = this;
    if (!isArrayOf(dtype, given)) {
      throw invalidArgument(`${this.name}: pass a ${dtype.ArrayType.name}, not ${kindOf(given)}`);
    }
    const sizes = this.#sizesOf(value?.sizes, given.length);
    const { view, bytes } = this.#memory;
    const address = this.#address;
    for (let i = 0; i < sizes.length; i++) {
      view.setInt32(address + SIZES + 4 * i, sizes[i], true);
    }
    const source = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    if (dtype.name === "bool" && source.some((byte) => byte > 1)) {
      throw invalidArgument(`${this.name}: bytes of booleans are neither 0 nor 1; pass 0 or 1`);
    }
    view.setUint32(address + NBYTES, source.length, true);
    // The runtime rejects larger inputs, and does not read them.
    if (source.length <= this.capacity) {
      bytes.set(source, view.getUint32(address + DATA, true));
    }
  }

  /** Returns the sizes of a tensor with `length` elements of its array. */
  #sizesOf(given, length) {
    const { maxSizes, name, dtype } = this;
    const dynamic = this.isDynamic ? this.sizeSteps.flatMap((step, i) => (step === 0 ? [] : [i])) : [];
    const sizes = [...(given ?? maxSizes)];
    if (given === undefined && dynamic.length === 1) {
      const row = maxSizes.reduce((count, size, i) => (i === dynamic[0] ? count : count * size), dtype.parts);
      if (row === 0 || length % row !== 0) {
        throw invalidArgument(
          row === 0
            ? `${name}: pass its sizes, as { data, sizes }`
            : `${name}: ${length} elements; pass a multiple of ${row}`,
        );
      }
      sizes[dynamic[0]] = length / row;
    } else if (given === undefined && dynamic.length > 1) {
      throw invalidArgument(`${name}: several sizes are dynamic; pass them, as { data, sizes }`);
    }
    if (sizes.length !== maxSizes.length || !sizes.every((size) => Number.isInteger(size) && size >= 0)) {
      throw invalidArgument(`${name}: sizes are [${sizes}]; pass ${maxSizes.length} integers from 0 on`);
    }
    if (sizes.some((size) => size > 0x7fffffff)) {
      throw invalidArgument(`${name}: sizes are [${sizes}]; the largest size is 2147483647`);
    }
    const count = sizes.reduce((product, size) => product * size, dtype.parts);
    if (count !== length) {
      throw invalidArgument(`${name}: ${length} elements; pass ${count}`);
    }
    return sizes;
  }

  /** Returns the output of the last run: a copy, for a tensor or a string. */
  get() {
    const { view, bytes } = this.#memory;
    const address = this.#address;
    const kind = KINDS.get(this.#int(TAG));
    if (kind === "tensor") {
      return this.#tensor();
    }
    if (kind === "int") {
      return view.getBigInt64(address + VALUE, true);
    }
    if (kind === "bool") {
      return this.#int(VALUE) !== 0;
    }
    if (kind === "double") {
      return view.getFloat64(address + VALUE, true);
    }
    if (kind === "string") {
      const start = view.getUint32(address + DATA, true);
      return decoder.decode(bytes.slice(start, start + view.getUint32(address + NBYTES, true)));
    }
    return undefined;
  }

  #tensor() {
    const { view, bytes } = this.#memory;
    const rank = this.#int(RANK);
    const dtype = dtypeOf(this.#int(DTYPE));
    const sizes = this.#ints(SIZES, rank);
    const start = view.getUint32(this.#address + DATA, true);
    const nbytes = view.getUint32(this.#address + NBYTES, true);
    const elements = new dtype.ArrayType(bytes.slice(start, start + nbytes).buffer);
    elements.dtype = dtype.name;
    elements.sizes = sizes;
    elements.strides = stridesOf(sizes, this.#ints(DIM_ORDER, rank));
    return elements;
  }
}

/** Returns the slots of a method: `names` has the name of each. */
export function readSlots(memory, start, names) {
  return names.map((name, index) => new Slot(memory, start, index, name));
}
