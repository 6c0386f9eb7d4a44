// The browser thinks what the native build thinks. Needs the exported folder in WEB_FOLDER, and in
// NATIVE the program of the crate's example `think`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.js";

const START8 = `${"-".repeat(27)}OX------XO${"-".repeat(27)} X`;
const folder = process.env.WEB_FOLDER ?? "/tmp/web";

let site;
let browser;
let page;
let check;
let native;
let answers;

before(async () => {
  native = spawn(process.env.NATIVE, [`${folder}/model-8x8.safetensors`], { stdio: ["pipe", "pipe", "inherit"] });
  await once(native, "spawn"); // Or the reason why there is none.
  answers = createInterface({ input: native.stdout })[Symbol.asyncIterator]();
  site = await serve(folder);
  browser = await launch();
  ({ page, check } = await open(browser, site));
  await page.goto(`${site.url}models.json`);
});

/** Lets a worker load one of the two modules. */
const load = (file) =>
  page.evaluate(async (file) => {
    const [module, model] = await Promise.all(
      [file, "model-8x8.safetensors"].map(async (file) => (await fetch(file)).arrayBuffer()),
    );
    const worker = new Worker("worker.js");
    let id = 0;
    globalThis.ask = (message, transfer = []) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => {
          if (data.kind === "failed") reject(new Error(data.message));
          else if (data.kind === "loaded" || data.thought.done) resolve(data.thought);
        };
        worker.postMessage(message, transfer);
      });
    globalThis.think = (task) => globalThis.ask({ kind: "think", id: (id += 1), task });
    await globalThis.ask({ kind: "load", module: await WebAssembly.compile(module), model }, [model]);
  }, file);

after(async () => {
  native?.stdin.end();
  await browser?.close();
  site?.close();
});

async function natively(task) {
  native.stdin.write(`${JSON.stringify(task)}\n`);
  return JSON.parse((await answers.next()).value);
}

const inBrowser = (task) => page.evaluate((task) => globalThis.think(task), task);

/** Positions of a game that a weak player would play. */
async function positions() {
  const found = [];
  for (let position = START8; found.length < 40; ) {
    found.push(position);
    const task = { position, aim: "play", simulations: 0, temperature: 1.5, seed: found.length };
    position = (await natively(task)).next;
  }
  return found;
}

for (const file of ["outflank.wasm", "outflank-relaxed.wasm"]) {
  test(`${file}: evaluations agree to 1e-4, and moves are the same for the same seed and simulations`, async () => {
    await load(file);
    let worst = 0;
    for (const [seed, position] of (await positions()).entries()) {
      const raw = { position, aim: "play", simulations: 0 };
      const [one, two] = [(await natively(raw)).thought, await inBrowser(raw)];
      worst = Math.max(worst, Math.abs(one.outcome - two.outcome), Math.abs(one.margin - two.margin) / 64);
      const priors = new Map(two.moves.map((move) => [move.name, move.prior]));
      for (const { name, prior } of one.moves) worst = Math.max(worst, Math.abs(prior - priors.get(name)));
      assert(worst < 1e-4, `${position}: ${worst}`);
      for (const temperature of [0, 0.5]) {
        const task = { position, aim: "play", simulations: 100, solveEmpties: 8, temperature, seed };
        assert.equal((await inBrowser(task)).best, (await natively(task)).thought.best, position);
      }
    }
    console.log(`largest difference ${worst.toExponential(1)}`);
  });
}

test("searches take some times as long as natively on one thread, which is printed", async () => {
  await load("outflank-relaxed.wasm");
  const task = { position: START8, aim: "play", simulations: 1500 };
  const ratios = [];
  for (let seed = 0; seed < 5; seed += 1) {
    // Another position each time: evaluations are remembered.
    const position = (await natively({ position: START8, aim: "play", simulations: 0, temperature: 9, seed })).next;
    const seconds = (await natively({ ...task, position })).thought.seconds;
    ratios.push((await inBrowser({ ...task, position })).seconds / seconds);
  }
  console.log(`times the native time: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
  // It depends on how wide the native vectors are and on what else the machine does: no test of it.
  await check();
});
