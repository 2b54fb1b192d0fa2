// Drives the page of examples/web_app in Chromium: page_driver.mjs PLAYWRIGHT ADDRESS SCENARIO FOLDER PHOTO.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [playwright, address, scenario, folder, photo] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(resolve(playwright));

const CONTEXTS = {
  phone: { viewport: { width: 375, height: 812 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext(CONTEXTS[scenario] ?? { viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
const problems = [];
page.on("pageerror", (error) => problems.push(error.message));
page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
page.on("request", (request) => {
  if (!request.url().startsWith(address) && !/^(blob|data):/.test(request.url())) {
    problems.push(`request to ${request.url()}`);
  }
});

const focused = [];
const focusedId = () => page.evaluate(() => document.activeElement.id);

/** Returns the photo as PNG: browsers do not read PPM. */
async function photoAsPng() {
  const bytes = readFileSync(photo);
  const [head, width, height] = bytes.subarray(0, 64).toString("latin1").match(/^P6\s(\d+)\s(\d+)\s255\s/);
  return page.evaluate(
    async ([base64, start, w, h]) => {
      const rgb = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).subarray(start);
      const image = new ImageData(w, h);
      for (let i = 0; i < w * h; i++) {
        image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
      }
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [w, h];
      canvas.getContext("2d").putImageData(image, 0, 0);
      return canvas.toDataURL("image/png").split(",")[1];
    },
    [bytes.toString("base64"), head.length, Number(width), Number(height)],
  );
}

const scenarios = {
  async desktop() {
    const png = await photoAsPng();
    await page.setInputFiles("#file", { name: "flower.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
    await page.waitForSelector("#results li");
  },
  async phone() {
    await page.tap("#sample");
    await page.waitForSelector("#results li");
  },
  async dark() {
    await page.click("#sample");
    await page.waitForSelector("#results li");
  },
  async keyboard() {
    for (let i = 0; i < 2; i++) {
      await page.keyboard.press("Tab");
      focused.push(await focusedId());
    }
    await page.keyboard.press("Enter");
    await page.waitForSelector("#results li");
  },
  async unreadable() {
    await page.setInputFiles("#file", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no photo") });
    await page.waitForFunction(() => document.getElementById("status").classList.contains("error"));
  },
};

try {
  await page.goto(address);
  await page.waitForSelector("#sample:enabled");
  await page.waitForTimeout(200);
  await scenarios[scenario]();
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${folder}/${scenario}.png`, fullPage: true });
  const found = await page.evaluate(() => ({
    labels: [...document.querySelectorAll("#results li b")].map((item) => item.textContent),
    status: document.getElementById("status").textContent,
    latency: document.getElementById("latency").textContent,
    scrolls_sideways: document.documentElement.scrollWidth > innerWidth,
  }));
  console.log(JSON.stringify({ ...found, focused, problems }));
} finally {
  await browser.close();
}
