// Tests threads in headless Chromium and Firefox, with and without cross-origin isolation: `threads_page_test.mjs PLAYWRIGHT SERVE`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";

import { Firefox } from "./firefox.mjs";

const [playwright, serve] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(resolve(playwright));

/** Serves the folder of the library. Returns the process and its address. */
async function startServer(flags) {
  const server = spawn("python3", [serve, ...flags, "tests/web", "0"], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const address of createInterface({ input: server.stdout })) {
    return { server, address };
  }
}

/** In the page: runs the model with several numbers of threads. */
async function runModel() {
  const { MobilenetCpu } = await import("./threaded.mjs");
  const x = Float32Array.from({ length: 3 * 224 * 224 }, (_, i) => Math.sin(i * 0.37));
  const results = [];
  for (const threads of [1, 2, 4]) {
    const net = await MobilenetCpu.load({ threads });
    for (let i = 0; i < 3; i++) {
      results.push([net.threads, Array.from(net.forward({ x }).output0).join()]);
    }
    await new Promise((done) => setTimeout(done, 20));
    results.push([net.threads, Array.from(net.forward({ x }).output0).join()]);
    net.dispose();
  }
  return { counts: results.map(([count]) => count), distinct: new Set(results.map(([, values]) => values)).size };
}

/** Runs the model in a page of Chromium. Returns the results, and the number of workers at the end. */
async function runInChromium(address) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(address);
    const found = await page.evaluate(runModel);
    // Workers whose end is pending are still listed.
    await page.waitForTimeout(500);
    return { ...found, workers: page.workers().length };
  } finally {
    await browser.close();
  }
}

/** Runs the model in a page of Firefox, which does not list its workers. */
async function runInFirefox(address) {
  const browser = await Firefox.start();
  try {
    await browser.goto(address);
    return JSON.parse(await browser.evaluate(`(${runModel})().then(JSON.stringify)`));
  } finally {
    await browser.close();
  }
}

for (const [title, flags, counts] of [
  ["isolated pages use workers", ["--cross-origin-isolated"], [1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4]],
  ["other pages use one thread", [], new Array(12).fill(1)],
]) {
  for (const [name, run, expected] of [
    ["Chromium", runInChromium, { counts, distinct: 1, workers: 0 }],
    ["Firefox", runInFirefox, { counts, distinct: 1 }],
  ]) {
    test(`${title} in ${name}`, async () => {
      const { server, address } = await startServer(flags);
      try {
        assert.deepEqual(await run(address), expected);
      } finally {
        server.kill();
      }
    });
  }
}
