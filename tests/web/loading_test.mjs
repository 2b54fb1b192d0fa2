import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";
import test from "node:test";

import * as embedded from "./embedded.mjs";
import { elements, fails, ROW } from "./helpers.mjs";
import { OneRow } from "./nets.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url));
const url = (name) => new URL(name, import.meta.url);

const expected = elements((await OneRow.load()).forward({ x: ROW }).output0);

/** Serves files of this folder. `change` may alter the response's bytes and type. */
async function withServer(change, action) {
  const server = createServer((request, response) => {
    const name = basename(request.url);
    const found = change(name, { status: 200, type: "application/octet-stream", body: undefined });
    response.writeHead(found.status, { "content-type": found.type });
    response.end(found.body ?? read(name));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await action(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("the .wasm file can contain the program", async () => {
  const net = await embedded.OneRow.load();
  assert.deepEqual(elements(net.forward({ x: ROW }).output0), expected);
});

test("modules import nothing", async () => {
  for (const name of ["nets.plain.wasm", "embedded.plain.wasm"]) {
    assert.deepEqual(WebAssembly.Module.imports(await WebAssembly.compile(read(name))), []);
  }
});

test("files are bytes, URLs or texts of URLs", async () => {
  for (const of of [read, (name) => Uint8Array.from(read(name)).buffer, url, (name) => String(url(name))]) {
    const net = await OneRow.load({ program: of("nets.OneRow.pte"), weights: of("nets.OneRow.ptd") });
    assert.deepEqual(elements(net.forward({ x: ROW }).output0), expected);
  }
  await fails("INVALID_ARGUMENT", "program: pass bytes or a URL, not number", () => OneRow.load({ program: 5 }));
  await fails("INVALID_ARGUMENT", "program: 'net.pte' is not a URL; pass a URL object, or an absolute URL", () =>
    OneRow.load({ program: "net.pte" }),
  );
});

test("files of a server are streamed, with progress", async () => {
  for (const type of ["application/wasm", "application/octet-stream"]) {
    await withServer(
      (_, response) => ({ ...response, type }),
      async (root) => {
        const progress = [];
        const net = await OneRow.load({
          program: `${root}nets.OneRow.pte`,
          weights: new URL("nets.OneRow.ptd", root),
          wasm: `${root}nets.plain.wasm`,
          onProgress: (event) => progress.push(event),
        });
        assert.deepEqual(elements(net.forward({ x: ROW }).output0), expected);
        const total = read("nets.OneRow.pte").length + read("nets.OneRow.ptd").length;
        assert.deepEqual(progress.at(-1), { loaded: total, total });
      },
    );
  }
});

test("other bytes are rejected by their size and SHA-256", async () => {
  const program = Uint8Array.from(read("nets.OneRow.pte"));
  const { length } = program;
  await fails("INVALID_PROGRAM", `program: has ${length - 1} bytes instead of ${length}`, () =>
    OneRow.load({ program: program.subarray(1) }),
  );
  await fails("INVALID_PROGRAM", `program: has more than ${length} bytes`, () =>
    OneRow.load({ program: new Uint8Array(length + 1) }),
  );
  program[length - 1] ^= 1;
  await fails(
    "INVALID_PROGRAM",
    "program: its SHA-256 is not that of the model; deploy files of the same build",
    () => OneRow.load({ program }),
  );
});

test("failed downloads are errors with the URL", async () => {
  await withServer(
    (name, response) => (name === "gone.pte" ? { ...response, status: 404, body: "no" } : response),
    async (root) => {
      await fails("ACCESS_FAILED", `${root}gone.pte: the server returned status 404; deploy the file`, () =>
        OneRow.load({ program: `${root}gone.pte` }),
      );
    },
  );
  await fails("ACCESS_FAILED", /gone\.pte: cannot be read: .*ENOENT/, () => OneRow.load({ program: url("gone.pte") }));
  await fails("ACCESS_FAILED", /: cannot be read: /, () => OneRow.load({ program: "http://127.0.0.1:1/net.pte" }));
});

test("a file that is not a module is an error", async () => {
  await fails("ACCESS_FAILED", /OneRow\.pte: cannot be compiled; .*wasm-unsafe-eval/, () =>
    OneRow.load({ wasm: url("nets.OneRow.pte") }),
  );
});

test("a module of another library is rejected", async () => {
  await fails(
    "INVALID_STATE",
    "the .wasm file differs from the JavaScript module; deploy files of the same build",
    () => OneRow.load({ wasm: url("embedded.plain.wasm") }),
  );
  const module = await WebAssembly.compile(read("nets.plain.wasm"));
  assert.deepEqual(elements((await OneRow.load({ wasm: module })).forward({ x: ROW }).output0), expected);
});

test("unknown variants are rejected with the list of variants", async () => {
  await fails("INVALID_ARGUMENT", /variant: unknown variant 'mmx'; the library has: .*plain/, () =>
    OneRow.load({ variant: "mmx" }),
  );
});

test("a signal cancels loading", async () => {
  const controller = new AbortController();
  controller.abort(new Error("stopped"));
  await assert.rejects(OneRow.load({ signal: controller.signal }), { message: "stopped" });
  assert.deepEqual(elements((await OneRow.load()).forward({ x: ROW }).output0), expected);
});

test("contexts that are not secure have no crypto.subtle", async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  try {
    assert.deepEqual(elements((await OneRow.load()).forward({ x: ROW }).output0), expected);
    const program = Uint8Array.from(read("nets.OneRow.pte"), (byte, i) => (i === 100 ? byte ^ 1 : byte));
    await fails("INVALID_PROGRAM", /its SHA-256 is not that of the model/, () => OneRow.load({ program }));
  } finally {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
  }
});
