// Drives the pages of examples/web_app in Firefox: firefox_driver.mjs ADDRESS PAGE FOLDER.
import { writeFileSync } from "node:fs";

import { Firefox } from "../web/firefox.mjs";

const [address, name, folder] = process.argv.slice(2);
const TIMEOUT_MILLISECONDS = 180_000;
const ENTER = "\ue007";

// The pages, with the element that is enabled when the model is loaded, the element to use and the text to type.
const PAGES = {
  classifier: { file: "", ready: "sample", used: "sample", text: "" },
  search: { file: "search.html", ready: "search", used: "query", text: "sleeping animals" },
};

const problems = [];
const firefox = await Firefox.start(({ method, params }) => {
  if (method === "log.entryAdded" && params.level === "error") {
    problems.push(params.text);
  } else if (method === "network.beforeRequestSent" && !params.request.url.startsWith(address)) {
    problems.push(`request to ${params.request.url}`);
  }
});

async function run() {
  const { context } = firefox;
  const send = (method, params) => firefox.send(method, params);
  const evaluate = (expression) => firefox.evaluate(expression);
  await send("session.subscribe", { events: ["log.entryAdded"] });
  await send("session.subscribe", { events: ["network.beforeRequestSent"], contexts: [context] });
  await send("browsingContext.setViewport", { context, viewport: { width: 1280, height: 800 } });

  const until = async (expression) => {
    const end = Date.now() + TIMEOUT_MILLISECONDS;
    while (!(await evaluate(expression))) {
      if (Date.now() > end) {
        throw new Error(`after ${TIMEOUT_MILLISECONDS} ms: ${await evaluate("document.body.innerText")}\n${problems.join("\n")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  const { file, ready, used, text } = PAGES[name];
  await firefox.goto(`${address}/${file}`);
  await until(`document.getElementById("${ready}")?.disabled === false`);
  const [x, y] = JSON.parse(
    await evaluate(`(() => {
      const element = document.getElementById("${used}");
      element.scrollIntoView({ block: "center" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return JSON.stringify([Math.round(left + width / 2), Math.round(top + height / 2)]);
    })()`),
  );
  const click = [{ type: "pointerMove", x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
  await send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions: click }] });
  const keys = (text === "" ? [] : [...text, ENTER]).flatMap((value) => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ]);
  await send("input.performActions", { context, actions: [{ type: "key", id: "keyboard", actions: keys }] });
  await until(`document.querySelector("#results li") !== null`);
  const { data } = await send("browsingContext.captureScreenshot", { context });
  writeFileSync(`${folder}/firefox_${name}.png`, Buffer.from(data, "base64"));
  const found = await evaluate(`JSON.stringify({
    labels: [...document.querySelectorAll("#results li b")].map((item) => item.textContent),
    numbers: [...document.querySelectorAll("#results li span")].map((item) => parseFloat(item.textContent)),
    status: document.getElementById("status").textContent,
    facts: Object.fromEntries([...document.querySelectorAll("dd")].map((item) => [item.id, item.textContent])),
    scrolls_sideways: document.documentElement.scrollWidth > innerWidth,
  })`);
  console.log(JSON.stringify({ ...JSON.parse(found), problems }));
}

try {
  await run();
} finally {
  await firefox.close();
}
