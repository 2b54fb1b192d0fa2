// Measures loading in Chromium: `node first_result.mjs PLAYWRIGHT ADDRESS [ROUNDS]`. README.md has the commands.
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [playwright, address, rounds = "40"] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(resolve(playwright));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const variant of ["relaxed_simd", "simd", "plain"]) {
    // A new context has an empty cache.
    const page = await (await browser.newContext()).newPage();
    await page.goto(address);
    const settings = {
      module: "./mobilenet.mjs",
      name: "MobilenetCpu",
      variant,
      onnx: "mobilenet.onnx",
      sizes: [1, 3, 224, 224],
      rounds: Number(rounds),
    };
    console.log(JSON.stringify(await page.evaluate(async (given) => (await import("./first_result_page.mjs")).compare(given), settings)));
  }
} finally {
  await browser.close();
}
