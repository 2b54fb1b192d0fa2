import { ExecutorchError, invalidArgument, kindOf } from "./errors.mjs";
import { compiledModule } from "./variants.mjs";

const MAX_ADDRESS = 2 ** 32 - 1;
// ET_WEB_WORK_MARGIN of bindings/web/wasm/tokenizer.h.
const WORK_MARGIN = 4;
const CHAT_ROLES = ["system", "user", "assistant"];
// Values of et_chat_start.
const BEGIN = 0;
const APPEND = 1;

const utf8Encoder = new TextEncoder();
// A byte order mark is a character of the text.
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the key that frees an object. Older engines have no Symbol.dispose. */
const DISPOSE_TOKENIZER = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** A tokenizer in its own WebAssembly instance. */
class TokenizerInstance {
  #name;
  #exports;

  constructor(name, exports) {
    this.#name = name;
    this.#exports = exports;
  }

  get exports() {
    if (this.#exports === undefined) {
      throw new ExecutorchError("INVALID_STATE", `${this.#name} is disposed; load it again`);
    }
    return this.#exports;
  }

  get memoryBytes() {
    return this.exports.memory.buffer.byteLength;
  }

  dispose() {
    this.#exports = undefined;
  }

  /** Calls `callback` with the exports. A trap, which is a bug of the library, ends the object. */
  call(callback) {
    const { exports } = this;
    try {
      return callback(exports);
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError)) {
        throw cause;
      }
      this.dispose();
      throw new ExecutorchError("INTERNAL", `${this.#name} trapped, and is disposed: ${cause.message}`, cause);
    }
  }

  /** Reserves memory for one call: `sizes` has the bytes of its parts. Returns the address of each. */
  reserve(...sizes) {
    const offsets = [0];
    for (const size of sizes) {
      offsets.push(offsets.at(-1) + Math.ceil(size / 8) * 8);
    }
    const total = offsets.pop();
    const base = total > MAX_ADDRESS ? 0 : this.call((exports) => exports.reserve(total)) >>> 0;
    if (base === 0) {
      throw new ExecutorchError("MEMORY_TOO_SMALL", `out of WebAssembly memory for ${total} bytes; pass a shorter text`);
    }
    return offsets.map((offset) => base + offset);
  }

  bytes(address, count) {
    return new Uint8Array(this.exports.memory.buffer, address, count);
  }

  tokens(address, count) {
    return new BigInt64Array(this.exports.memory.buffer, address, count);
  }

  words(address, count) {
    return new Uint32Array(this.exports.memory.buffer, address, count);
  }

  /** Returns the text at an address, which ends with NUL. */
  text(address) {
    const { buffer } = this.exports.memory;
    const size = new Uint8Array(buffer, address).indexOf(0);
    return utf8Decoder.decode(new Uint8Array(buffer, address, size));
  }
}

function checkText(text, place) {
  if (typeof text !== "string") {
    throw invalidArgument(`${place}: pass a string, not ${kindOf(text)}`);
  }
}

/** Throws unless `options` is an object with these properties only. */
function checkOptions(options, names) {
  if (typeof options !== "object" || options === null) {
    throw invalidArgument(`options: pass an object, not ${kindOf(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw invalidArgument(`options: unknown option '${unknown}'; the options are: ${names.join(", ")}`);
  }
}

/** Encodes a text, which `fixed` tokens begin and end. */
function encodeText(instance, text, maxTokens, fixed) {
  checkText(text, "text");
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= fixed)) {
    const given = typeof maxTokens === "number" ? maxTokens : kindOf(maxTokens);
    throw invalidArgument(`maxTokens: pass an integer from ${fixed} on, not ${given}`);
  }
  const encoded = utf8Encoder.encode(text);
  const size = encoded.length;
  const most = instance.call((exports) => exports.max_tokens(size)) >>> 0;
  const capacity = Math.min(most + fixed, maxTokens ?? Infinity);
  const [source, tokens, work] = instance.reserve(size, 8 * capacity, 8 * (most + WORK_MARGIN));
  instance.bytes(source, size).set(encoded);
  const count = instance.call((exports) => exports.encode(source, size, tokens, capacity, work, fixed > 0 ? 1 : 0));
  return instance.tokens(tokens, count).slice();
}

/** The functions of all tokenizers. */
class VocabularyTokenizer {
  #instance;
  #vocabularySize;

  constructor(instance, name) {
    if (!(instance instanceof TokenizerInstance)) {
      throw new TypeError(`call await ${name}.load()`);
    }
    this.#instance = instance;
    this.#vocabularySize = instance.exports.vocabulary_size() >>> 0;
  }

  get vocabularySize() {
    return this.#vocabularySize;
  }

  get memoryBytes() {
    return this.#instance.memoryBytes;
  }

  decode(tokens) {
    const instance = this.#instance;
    const ids = this.#idsOf(tokens);
    const count = ids.length;
    const [source] = instance.reserve(8 * count);
    instance.tokens(source, count).set(ids);
    const size = instance.call((exports) => exports.decode(source, count, 0)) >>> 0;
    // The memory grows, and keeps its contents.
    const [same, out] = instance.reserve(8 * count, size);
    instance.call((exports) => exports.decode(same, count, out));
    return utf8Decoder.decode(instance.bytes(out, size));
  }

  /** Returns the bytes of a token, which can be a part of a character. */
  piece(token) {
    const [id] = this.#idsOf([token]);
    const instance = this.#instance;
    const address = instance.call((exports) => exports.piece(id)) >>> 0;
    return instance.bytes(address, instance.call((exports) => exports.piece_size(id))).slice();
  }

  /** Returns valid tokens as a BigInt64Array. */
  #idsOf(tokens) {
    if (!Array.isArray(tokens) && !(ArrayBuffer.isView(tokens) && "length" in tokens)) {
      throw invalidArgument(`tokens: pass an array of tokens, not ${kindOf(tokens)}`);
    }
    return BigInt64Array.from(tokens, (token, i) => {
      const isInteger = typeof token === "bigint" || Number.isSafeInteger(token);
      if (!isInteger || token < 0 || token >= this.#vocabularySize) {
        const given = isInteger || typeof token === "number" ? token : kindOf(token);
        throw invalidArgument(`tokens[${i}]: ${given} is not a token; pass integers from 0 to ${this.#vocabularySize - 1}`);
      }
      return BigInt(token);
    });
  }

  dispose() {
    this.#instance.dispose();
  }

  [DISPOSE_TOKENIZER]() {
    this.dispose();
  }
}

/** A WordPiece tokenizer, as in BERT. */
export class WordpieceVocabulary extends VocabularyTokenizer {
  #instance;

  constructor(instance, name) {
    super(instance, name);
    this.#instance = instance;
  }

  encode(text, options = {}) {
    checkOptions(options, ["maxTokens", "specialTokens"]);
    return encodeText(this.#instance, text, options.maxTokens, (options.specialTokens ?? true) ? 2 : 0);
  }
}

/** Throws unless `messages` is a conversation. */
function checkMessages(messages) {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalidArgument("messages: pass an array with at least one message");
  }
  messages.forEach((message, i) => {
    const place = `messages[${i}]`;
    if (!CHAT_ROLES.includes(message?.role)) {
      throw invalidArgument(`${place}.role: pass one of: ${CHAT_ROLES.join(", ")}`);
    }
    if (message.role === "system" && i > 0) {
      throw invalidArgument(`${place}.role: only the first message can be of the system`);
    }
    checkText(message.content, `${place}.content`);
  });
}

/** A byte-pair tokenizer with a chat template. */
export class BpeVocabulary extends VocabularyTokenizer {
  #instance;
  #stops;

  constructor(instance, name) {
    super(instance, name);
    this.#instance = instance;
    const { has_chat: hasChat, stops, stop_count: count } = instance.exports;
    this.#stops = Object.freeze(hasChat() ? Array.from(instance.tokens(stops() >>> 0, count())) : []);
  }

  get stopTokens() {
    return this.#stops;
  }

  encode(text, options = {}) {
    checkOptions(options, ["maxTokens"]);
    return encodeText(this.#instance, text, options.maxTokens, 0);
  }

  encodeChat(messages, options = {}) {
    if (!this.#instance.call((exports) => exports.has_chat())) {
      throw new ExecutorchError("NOT_SUPPORTED", "the vocabulary has no chat template; set 'config' of bpe_vocabulary");
    }
    checkMessages(messages);
    checkOptions(options, ["answer", "opening"]);
    const begins = (options.opening ?? true) || messages[0].role === "system";
    return this.#chatTokens(messages, begins ? BEGIN : APPEND, (options.answer ?? true) ? 1 : 0);
  }

  #chatTokens(messages, start, answers) {
    const instance = this.#instance;
    const count = messages.length;
    const contents = messages.map(({ content }) => utf8Encoder.encode(content));
    const size = contents.reduce((sum, content) => sum + content.length, 0);
    const inputs = [size, 12 * count, 4];
    const [source, table, index] = instance.reserve(...inputs);
    let at = source;
    const words = contents.flatMap((content, i) => {
      instance.bytes(at, content.length).set(content);
      at += content.length;
      return [CHAT_ROLES.indexOf(messages[i].role), at - content.length, content.length];
    });
    instance.words(table, words.length).set(words);
    const reason = instance.call((exports) => exports.chat_check(table, count, start, answers, index)) >>> 0;
    if (reason !== 0) {
      const [place] = instance.words(index, 1);
      throw new ExecutorchError("NOT_SUPPORTED", `messages[${place}] ${instance.text(reason)}`);
    }
    const scratchSize = instance.call((exports) => exports.chat_size(table, count)) >>> 0;
    const most = instance.call((exports) => exports.max_tokens(scratchSize)) >>> 0;
    const capacity = most + 1; // The count is less.
    // The memory grows, and keeps its contents.
    const all = instance.reserve(...inputs, 8 * capacity, scratchSize, 8 * (most + WORK_MARGIN));
    const [tokens, scratch, symbols] = all.slice(inputs.length);
    const written = instance.call((exports) =>
      exports.chat(table, count, start, answers, tokens, capacity, scratch, scratchSize, symbols),
    );
    return instance.tokens(tokens, written).slice();
  }
}

/** Creates the instance of a tokenizer. */
export async function loadTokenizer(tokenizer, options = {}) {
  checkOptions(options, ["signal", "wasm"]);
  const module = await compiledModule(tokenizer, options);
  options.signal?.throwIfAborted();
  const { exports } = await WebAssembly.instantiate(module, {});
  exports._initialize?.();
  if (exports.digest?.() !== tokenizer.digest) {
    throw new ExecutorchError(
      "INVALID_STATE",
      "the .wasm file differs from the JavaScript module; deploy files of the same build",
    );
  }
  return new TokenizerInstance(tokenizer.name, exports);
}
