import { element, formatTime, resultItem, showProgress, showReady, showStatus, startWorker } from "./page.mjs";

const SIDE = 224;

const preview = element("preview").getContext("2d", { willReadFrequently: true });
const classes = await (await fetch("classes.json")).json();

function showResults(probabilities, milliseconds) {
  const order = Array.from(probabilities.keys()).sort((a, b) => probabilities[b] - probabilities[a]);
  const names = order.map((label) => classes[label].split(",")[0]);
  const items = order.slice(0, 5).map((label, i) => {
    const probability = probabilities[label];
    return resultItem(names[i], `${(100 * probability).toFixed(1)} %`, probability);
  });
  element("results").replaceChildren(...items);
  element("latency").textContent = formatTime(milliseconds);
  showStatus(`This is probably: ${names[0]}.`);
}

const worker = startWorker("worker.mjs", {
  progress: showProgress,
  ready(data) {
    element("sample").disabled = false;
    showReady(data, "Drop, select or paste a photo.");
  },
  result({ probabilities, milliseconds }) {
    showResults(probabilities, milliseconds);
  },
  error({ message }) {
    showStatus(message, true);
  },
});

/** Draws the central square, 7/8 of the shorter side, and classifies it. */
function classify(source) {
  const side = (Math.min(source.width, source.height) * 7) / 8;
  const corner = [(source.width - side) / 2, (source.height - side) / 2];
  preview.imageSmoothingQuality = "high";
  preview.drawImage(source, ...corner, side, side, 0, 0, SIDE, SIDE);
  element("preview").hidden = false;
  const { data } = preview.getImageData(0, 0, SIDE, SIDE);
  const pixels = SIDE * SIDE;
  // Planar, with values from -1 to 1.
  const image = Float32Array.from({ length: 3 * pixels }, (_, i) => {
    const channel = Math.floor(i / pixels);
    return data[4 * (i % pixels) + channel] / 127.5 - 1;
  });
  showStatus("Classifying …");
  worker.postMessage({ image }, [image.buffer]);
}

async function classifyFile(file) {
  try {
    classify(await createImageBitmap(file));
  } catch {
    showStatus(`${file.name || "The file"} is not a photo that this browser can read.`, true);
  }
}

/** Reads a binary PPM file, which browsers do not support. */
async function readPpm(name) {
  const bytes = new Uint8Array(await (await fetch(name)).arrayBuffer());
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64)).match(/^P6\s(\d+)\s(\d+)\s255\s/);
  const [width, height] = [Number(head[1]), Number(head[2])];
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const start = head[0].length + 3 * i;
    image.data.set([...bytes.subarray(start, start + 3), 255], 4 * i);
  }
  return createImageBitmap(image);
}

element("file").addEventListener("change", ({ target }) => {
  if (target.files.length > 0) {
    classifyFile(target.files[0]);
  }
  // The same file can be selected again.
  target.value = "";
});
element("sample").addEventListener("click", async () => classify(await readPpm("flower.ppm")));
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    element("drop").classList.toggle("over", kind === "dragover");
  });
}
document.addEventListener("drop", ({ dataTransfer }) => dataTransfer.files[0] && classifyFile(dataTransfer.files[0]));
document.addEventListener("paste", ({ clipboardData }) => clipboardData.files[0] && classifyFile(clipboardData.files[0]));
