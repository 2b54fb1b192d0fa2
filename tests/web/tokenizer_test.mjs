import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { fails } from "./helpers.mjs";
import * as texts from "./texts.mjs";

const { AddedTokenizer, ChatTokenizer, SearchTokenizer } = texts;
const file = (name) => new URL(name, import.meta.url);

const search = await SearchTokenizer.load();
const chat = await ChatTokenizer.load();

const USER = { role: "user", content: "Hello" };

test("tokens are BigInt64Array, and decode returns the text", () => {
  const tokens = search.encode("The cats, unbelievably, sail.");
  assert.ok(tokens instanceof BigInt64Array);
  assert.equal(search.decode(tokens), "the cats, unbelievably, sail.");
  assert.equal(search.decode(Int32Array.from(tokens, Number)), "the cats, unbelievably, sail.");
  assert.equal(chat.decode(chat.encode("The  cats,\n sail. 🚢")), "The  cats,\n sail. 🚢");
});

test("empty texts have only special tokens", () => {
  assert.equal(search.encode("").length, 2);
  assert.equal(search.encode("", { specialTokens: false }).length, 0);
  assert.equal(chat.encode("").length, 0);
  assert.equal(search.decode([]), "");
  assert.equal(chat.decode(new BigInt64Array()), "");
});

test("a byte order mark and lone surrogates are characters", () => {
  for (const [text, expected] of [
    ["\ufeffa", "\ufeffa"],
    ["a\ud800", "a\ufffd"],
    ["\udc00\ud800", "\ufffd\ufffd"],
    ["\0", "\0"],
  ]) {
    assert.equal(chat.decode(chat.encode(text)), expected);
    search.encode(text);
  }
});

test("maxTokens limits the tokens, also the special ones", () => {
  const whole = search.encode("one two three four");
  assert.deepEqual(search.encode("one two three four", { maxTokens: 4 }), BigInt64Array.of(...whole.slice(0, 3), whole[5]));
  assert.deepEqual(search.encode("one two", { maxTokens: 2 }), BigInt64Array.of(whole[0], whole[5]));
  assert.equal(chat.encode("one two three four", { maxTokens: 3 }).length, 3);
  assert.equal(chat.encode("one", { maxTokens: 0 }).length, 0);
});

test("pieces are bytes, which a streaming decoder joins to characters", () => {
  const text = "naïve 👩‍👩‍👧 日本語";
  const decoder = new TextDecoder();
  let joined = "";
  for (const token of chat.encode(text)) {
    joined += decoder.decode(chat.piece(token), { stream: true });
  }
  assert.equal(joined + decoder.decode(), text);
  assert.equal(new TextDecoder().decode(search.piece(search.encode("sailing", { specialTokens: false })[0])), "sailing");
});

test("chats have control tokens, and messages do not", () => {
  const end = chat.stopTokens;
  assert.ok(end.length > 0 && end.every((token) => typeof token === "bigint"));
  const tokens = chat.encodeChat([{ role: "user", content: "<|im_end|>" }], { opening: false, answer: false });
  assert.equal(tokens.filter((token) => end.includes(token)).length, 1);
  const parts = [
    chat.encodeChat([USER], { answer: false }),
    chat.encodeChat([{ role: "assistant", content: "Hi" }], { opening: false, answer: false }),
    chat.encodeChat([USER], { opening: false }),
  ];
  const whole = chat.encodeChat([USER, { role: "assistant", content: "Hi" }, USER]);
  assert.deepEqual(Array.from(whole), parts.flatMap((part) => Array.from(part)));
});

test("invalid arguments are errors", async () => {
  const size = search.vocabularySize;
  const invalid = (message, action) => fails("INVALID_ARGUMENT", message, action);
  await invalid("text: pass a string, not undefined", () => search.encode());
  await invalid("text: pass a string, not String", () => chat.encode(new String("a")));
  await invalid("options: pass an object, not null", () => chat.encode("a", null));
  await invalid("options: unknown option 'specialTokens'; the options are: maxTokens", () =>
    chat.encode("a", { specialTokens: true }),
  );
  await invalid("maxTokens: pass an integer from 2 on, not 1", () => search.encode("a", { maxTokens: 1 }));
  for (const maxTokens of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    await invalid(`maxTokens: pass an integer from 0 on, not ${maxTokens}`, () => chat.encode("a", { maxTokens }));
  }
  await invalid("maxTokens: pass an integer from 0 on, not string", () => chat.encode("a", { maxTokens: "3" }));
  await invalid("tokens: pass an array of tokens, not string", () => search.decode("a"));
  await invalid("tokens: pass an array of tokens, not DataView", () => search.decode(new DataView(new ArrayBuffer(8))));
  for (const token of [-1, size, 0.5, NaN, -1n, BigInt(size), 2n ** 64n]) {
    const message = `tokens[1]: ${token} is not a token; pass integers from 0 to ${size - 1}`;
    await invalid(message, () => search.decode([1, token]));
  }
  await invalid(`tokens[0]: string is not a token; pass integers from 0 to ${size - 1}`, () => search.piece("1"));
});

test("vocabularies without a chat template have no chats", async () => {
  const llama = await texts.LlamaTokenizer.load();
  assert.deepEqual(llama.stopTokens, []);
  await fails("NOT_SUPPORTED", "the vocabulary has no chat template; set 'config' of bpe_vocabulary", () =>
    llama.encodeChat([USER]),
  );
});

test("invalid chats are errors", async () => {
  const invalid = (message, messages) => fails("INVALID_ARGUMENT", message, () => chat.encodeChat(messages));
  await invalid("messages: pass an array with at least one message", []);
  await invalid("messages: pass an array with at least one message", USER);
  await invalid("messages[0].role: pass one of: system, user, assistant", [{ role: "tool", content: "" }]);
  await invalid("messages[0].role: pass one of: system, user, assistant", [null]);
  await invalid("messages[1].content: pass a string, not undefined", [USER, { role: "user" }]);
  await invalid("messages[1].role: only the first message can be of the system", [USER, { role: "system", content: "" }]);
  await fails("INVALID_ARGUMENT", "options: unknown option 'stop'; the options are: answer, opening", () =>
    chat.encodeChat([USER], { stop: true }),
  );
});

test("messages that the chat template lacks are errors", async () => {
  const added = await AddedTokenizer.load();
  const answer = { role: "assistant", content: "Hi" };
  const lacks = (message, messages, options) => fails("NOT_SUPPORTED", message, () => added.encodeChat(messages, options));
  await lacks(/^NOT_SUPPORTED: messages\[1\] has the role of the message before it/, [USER, USER]);
  await lacks(/^NOT_SUPPORTED: messages\[0\] is of the assistant/, [answer]);
  await lacks(/^NOT_SUPPORTED: messages\[1\] is the last/, [USER, answer]);
  assert.ok(added.encodeChat([USER, answer], { answer: false }).length > 0);
  const text = added.decode(added.encodeChat([{ role: "system", content: " a" }, { role: "user", content: " b\n" }]));
  assert.equal(text, "<start_of_turn>user\n a\n\nb<end_of_turn>\n<start_of_turn>model\n");
});

test("other .wasm files are errors", async () => {
  const message = "the .wasm file differs from the JavaScript module; deploy files of the same build";
  for (const name of ["texts.ChatTokenizer.wasm", "texts.plain.wasm"]) {
    await fails("INVALID_STATE", message, () => SearchTokenizer.load({ wasm: file(name) }));
  }
  await fails("ACCESS_FAILED", /cannot be compiled/, () => SearchTokenizer.load({ wasm: file("texts.model.pte") }));
  await fails("ACCESS_FAILED", /gone\.wasm: cannot be read/, () => SearchTokenizer.load({ wasm: file("gone.wasm") }));
  assert.throws(() => new SearchTokenizer(), { name: "TypeError", message: "call await SearchTokenizer.load()" });
  const controller = new AbortController();
  controller.abort(new Error("stopped"));
  await assert.rejects(SearchTokenizer.load({ signal: controller.signal }), { message: "stopped" });
});

test("modules of tokenizers import nothing", async () => {
  for (const name of ["SearchTokenizer", "ChatTokenizer", "AddedTokenizer", "LlamaTokenizer"]) {
    const module = await WebAssembly.compile(readFileSync(file(`texts.${name}.wasm`)));
    assert.deepEqual(WebAssembly.Module.imports(module), []);
  }
});

test("100,000 calls do not grow the memory", async () => {
  for (const tokenizer of [await SearchTokenizer.load(), await AddedTokenizer.load()]) {
    const texts = ["The cats sail over the sea.", "", "naïve 👩‍👩‍👧", "x".repeat(300)];
    const call = (i) => tokenizer.decode(tokenizer.encode(texts[i % texts.length]));
    texts.forEach((_, i) => call(i));
    const { memoryBytes } = tokenizer;
    for (let i = 0; i < 100_000; i++) {
      call(i);
    }
    assert.equal(tokenizer.memoryBytes, memoryBytes);
  }
});

test("the memory is that of the longest text, and dispose frees it", async () => {
  const tokenizer = await SearchTokenizer.load();
  const before = tokenizer.memoryBytes;
  const length = 1_000_000;
  tokenizer.encode("sea ".repeat(length / 4));
  // A byte of text is 17 bytes: itself, a token and an entry for merges.
  assert.ok(tokenizer.memoryBytes - before <= 17 * length + 2 * 65536);
  tokenizer.dispose();
  await fails("INVALID_STATE", "SearchTokenizer is disposed; load it again", () => tokenizer.encode("a"));
  await fails("INVALID_STATE", "SearchTokenizer is disposed; load it again", () => tokenizer.memoryBytes);
  assert.equal(search.encode("a").length, 3);
});

test("a text that is too long is an error, and the tokenizer can be used again", async () => {
  const tokenizer = await ChatTokenizer.load();
  await fails("MEMORY_TOO_SMALL", /^MEMORY_TOO_SMALL: out of WebAssembly memory for \d+ bytes; pass a shorter text$/, () =>
    tokenizer.encode("a ".repeat(150_000_000)),
  );
  assert.equal(tokenizer.encode("a").length, 1);
  tokenizer.dispose();
});
