/**
 * Inputs and outputs of the driver in JavaScript. `calls.py` describes the format.
 *
 * Arguments: MODEL CALLS OUTPUTS.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** @typedef {Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array} AnyArray */

export class DriverIo {
  #calls;
  #view;
  #offset = 0;
  #outputsPath;
  /** @type {Uint8Array[]} */
  #outputs = [];

  /** @param {string[]} arguments_ */
  constructor([model = "", calls = "", outputs = ""]) {
    this.model = model;
    this.#calls = readFileSync(calls);
    this.#view = new DataView(this.#calls.buffer, this.#calls.byteOffset, this.#calls.byteLength);
    this.#outputsPath = outputs;
  }

  static async open() {
    return new DriverIo(process.argv.slice(2));
  }

  /** Returns the index of the method of the next call, or -1. */
  nextCall() {
    return this.#offset < this.#calls.length ? this.#uint32() : -1;
  }

  #uint32() {
    this.#offset += 4;
    return this.#view.getUint32(this.#offset - 4, true);
  }

  #read() {
    const rank = this.#uint32();
    const sizes = Array.from({ length: rank }, () => this.#uint32());
    const nbytes = Number(this.#view.getBigUint64(this.#offset, true));
    this.#offset += 8;
    const bytes = Uint8Array.from(this.#calls.subarray(this.#offset, this.#offset + nbytes));
    this.#offset += nbytes;
    return { sizes, buffer: bytes.buffer };
  }

  /**
   * @template {AnyArray} A
   * @param {new (buffer: ArrayBuffer) => A} ArrayType
   */
  #tensor(ArrayType) {
    const { sizes, buffer } = this.#read();
    return Object.assign(new ArrayType(buffer), { sizes });
  }

  Int8Array() {
    return this.#tensor(Int8Array);
  }

  Uint8Array() {
    return this.#tensor(Uint8Array);
  }

  Int16Array() {
    return this.#tensor(Int16Array);
  }

  Uint16Array() {
    return this.#tensor(Uint16Array);
  }

  Int32Array() {
    return this.#tensor(Int32Array);
  }

  Uint32Array() {
    return this.#tensor(Uint32Array);
  }

  BigInt64Array() {
    return this.#tensor(BigInt64Array);
  }

  BigUint64Array() {
    return this.#tensor(BigUint64Array);
  }

  Float32Array() {
    return this.#tensor(Float32Array);
  }

  Float64Array() {
    return this.#tensor(Float64Array);
  }

  int() {
    return new DataView(this.#read().buffer).getBigInt64(0, true);
  }

  /** @param {(AnyArray & {sizes: readonly number[]}) | bigint | boolean | number | string} value */
  write(value) {
    if (typeof value === "object") {
      this.#append(value.sizes, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (typeof value === "bigint") {
      this.#append([], new Uint8Array(BigInt64Array.of(value).buffer));
    } else if (typeof value === "number") {
      this.#append([], new Uint8Array(Float64Array.of(value).buffer));
    } else {
      this.#append([], typeof value === "boolean" ? Uint8Array.of(Number(value)) : new TextEncoder().encode(value));
    }
  }

  /**
   * @param {readonly number[]} sizes
   * @param {Uint8Array} bytes
   */
  #append(sizes, bytes) {
    const head = new DataView(new ArrayBuffer(4 * sizes.length + 12));
    [sizes.length, ...sizes].forEach((value, i) => head.setUint32(4 * i, value, true));
    head.setBigUint64(4 * sizes.length + 4, BigInt(bytes.length), true);
    this.#outputs.push(new Uint8Array(head.buffer), bytes);
  }

  close() {
    writeFileSync(this.#outputsPath, Buffer.concat(this.#outputs));
  }
}
