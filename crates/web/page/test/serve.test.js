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

before(async () => {
  server = spawn(process.env.OUTFLANK ?? "outflank", ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  const url = String(line).split(" ")[0];
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
