// Drives the pages of examples/web_app, and that of docs/how_to/use_in_browser.md, in Chromium:
// page_driver.mjs PLAYWRIGHT ADDRESS PAGE/SCENARIO FOLDER PHOTO.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [playwright, address, chosen, folder, photo] = process.argv.slice(2);
const [name, scenario] = chosen.split("/");
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
let returned;

/** Presses Tab, and notes the element that has the focus. */
async function tab(count) {
  for (let i = 0; i < count; i++) {
    await page.keyboard.press("Tab");
    focused.push(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
  }
}

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

const textFile = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const hasResults = () => page.waitForSelector("#results li");
const hasError = () => page.waitForFunction(() => document.getElementById("status").classList.contains("error"));

// Elements by their accessible names.
const sentences = page.getByRole("textbox", { name: "Sentences" });
const query = page.getByRole("searchbox", { name: "A text with a similar meaning" });
const searchButton = page.getByRole("button", { name: "Search" });

const classifierScenarios = {
  async desktop() {
    const png = await photoAsPng();
    await page.setInputFiles("#file", { name: "flower.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
    await hasResults();
  },
  async phone() {
    await page.tap("#sample");
    await hasResults();
  },
  async dark() {
    await page.click("#sample");
    await hasResults();
  },
  async keyboard() {
    await tab(4);
    await page.keyboard.press("Enter");
    await hasResults();
  },
  async unreadable() {
    await page.setInputFiles("#file", textFile("notes.txt", "no photo"));
    await hasError();
  },
};

const searchScenarios = {
  async desktop() {
    await query.fill("sleeping animals");
    await searchButton.click();
    await hasResults();
  },
  async phone() {
    await sentences.fill("I repair cars.\nThe mechanic fixed the engine.\n\nThe soup is hot.\nI repair cars.");
    await query.fill("automobile");
    await searchButton.tap();
    await hasResults();
  },
  async dark() {
    // Without the button: typing searches.
    await query.pressSequentially("weather", { delay: 20 });
    await hasResults();
  },
  async keyboard() {
    await tab(6);
    await query.focus();
    await page.keyboard.type("travel");
    await page.keyboard.press("Enter");
    await hasResults();
  },
  async file() {
    const lines = Array.from({ length: 400 }, (_, i) => `Note number ${i} is about taxes.`);
    lines[123] = "Whales sing in the ocean.";
    await query.fill("music of sea animals");
    await page.getByLabel("Load a text file").setInputFiles(textFile("notes.txt", lines.join("\r\n")));
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Reading"));
    // A new query replaces the running one.
    await query.fill("songs of sea animals");
    await page.waitForFunction(() => document.getElementById("status").textContent.includes("of 400"), null, {
      timeout: 120_000,
    });
  },
  async binary() {
    await page.getByLabel("Load a text file").setInputFiles(textFile("photo.png", "\x89PNG\0\0"));
    await hasError();
  },
  async empty() {
    await query.fill("anything");
    await sentences.fill(" \n");
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Add"));
  },
  /** Two libraries in one page: disposing a model frees its memory, and does not affect the others. */
  async two_models() {
    returned = await page.evaluate(async () => {
      const [{ Classifier }, { Encoder, Tokenizer }] = await Promise.all([
        import("./classifier.mjs"),
        import("./encoder.mjs"),
      ]);
      const image = new Float32Array(3 * 224 * 224).fill(0.5);
      const classify = (model) => Array.from(model.forward({ image }).output0);
      const [classifier, encoder, tokenizer] = [await Classifier.load(), await Encoder.load(), await Tokenizer.load()];
      const embed = () => Array.from(encoder.forward({ tokens: tokenizer.encode("a ship") }).output0);
      const expected = JSON.stringify([classify(classifier), embed()]);
      const bytes = classifier.memoryBytes;
      let equal = 0;
      for (let i = 0; i < 40; i++) {
        const other = await Classifier.load();
        equal += JSON.stringify([classify(other), embed()]) === expected;
        other.dispose();
      }
      classifier.dispose();
      let error;
      try {
        classify(classifier);
      } catch ({ message }) {
        error = message;
      }
      return { equal, error, bytes, unaffected: JSON.stringify(embed()) === JSON.stringify(JSON.parse(expected)[1]) };
    });
  },
  async links() {
    await page.getByRole("link", { name: "Photo classifier" }).click();
    await page.waitForSelector("#sample:enabled");
    await page.getByRole("link", { name: "Sentence search" }).click();
    await page.waitForSelector("#search:enabled");
  },
};

const documentedScenarios = {
  async numbers() {
    returned = await page.textContent("output");
  },
};

// The pages, with the element that is enabled when the model is loaded.
const PAGES = {
  classifier: { file: "", ready: "#sample:enabled", scenarios: classifierScenarios },
  search: { file: "search.html", ready: "#search:enabled", scenarios: searchScenarios },
  documented: { file: "", ready: "output:not(:empty)", scenarios: documentedScenarios },
};

try {
  const { file, ready, scenarios } = PAGES[name];
  await page.goto(`${address}/${file}`);
  await page.waitForSelector(ready);
  await page.waitForTimeout(200);
  await scenarios[scenario]();
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${folder}/${name}_${scenario}.png`, fullPage: true });
  const found = await page.evaluate(() => ({
    labels: [...document.querySelectorAll("#results li b")].map((item) => item.textContent),
    numbers: [...document.querySelectorAll("#results li span")].map((item) => parseFloat(item.textContent)),
    status: document.getElementById("status")?.textContent,
    facts: Object.fromEntries([...document.querySelectorAll("dd")].map((item) => [item.id, item.textContent])),
    scrolls_sideways: document.documentElement.scrollWidth > innerWidth,
  }));
  console.log(JSON.stringify({ ...found, focused, returned, problems }));
} finally {
  await browser.close();
}
