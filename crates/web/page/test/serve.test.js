// The page with the command behind it, in a real browser. Needs the command in OUTFLANK.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { agent, keepGame, launch, legal, open, person, square } from "./browser.js";

const START8 = `${"-".repeat(27)}OX------XO${"-".repeat(27)} X`;

let server;
let site;
let browser;

/** Starts the command, and returns where it serves. */
async function start(port = "0") {
  server = spawn(process.env.OUTFLANK ?? "outflank", ["serve", "--port", port], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  return String(line).split(" ")[0];
}

before(async () => {
  const url = await start();
  site = { url, origin: url.slice(0, -1) };
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.kill();
});

test("the server's agent moves, can be stopped, and analyses", async () => {
  const { page, context, check } = await open(browser, site);
  await keepGame(context, { start: START8, seats: { black: person, white: { ...agent("custom"), seconds: 30 } } });
  await page.goto(site.url);
  await square(page, "d3").click();
  await page.getByRole("button", { name: "Move now" }).click();
  await legal(page).first().waitFor();
  assert.equal(await page.locator(".disc").count(), 6);
  await page.locator("label.switch").click();
  await page.locator(".hint.best").waitFor();
  await check();
});

test("a server that is gone is named, and the game goes on when it is back", async () => {
  const { page, context } = await open(browser, site);
  await keepGame(context, { start: START8, seats: { black: person, white: { ...agent("custom"), seconds: 0.1 } } });
  await page.goto(site.url);
  await square(page, "d3").waitFor();
  const gone = once(server, "exit");
  server.kill();
  await gone;
  await square(page, "d3").click();
  await page.getByText("The server does not answer.").waitFor();
  await start(new URL(site.url).port);
  await page.getByRole("button", { name: "OK" }).click();
  await legal(page).first().waitFor();
  assert.equal(await page.locator(".disc").count(), 6);
  // Without `check`: that requests failed is what this is about.
  await context.close();
});
