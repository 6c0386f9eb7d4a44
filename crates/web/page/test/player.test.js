// The exported page in a real browser: node --test, with the folder in WEB_FOLDER.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { agent, keepGame, launch, legal, open, person, serve, square } from "./browser.js";

const START8 = `${"-".repeat(27)}OX------XO${"-".repeat(27)} X`;

let site;
let browser;

before(async () => {
  site = await serve(process.env.WEB_FOLDER ?? "/tmp/web");
  browser = await launch();
});

after(async () => {
  await browser?.close();
  site?.close();
});

/** Takes a picture, if somebody wants to look. */
async function picture(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

const settings = (context, values) =>
  context.addInitScript((text) => localStorage.setItem("outflank.settings", text), JSON.stringify(values));

test("a whole game is clicked through to its end", async () => {
  const { page, context, check } = await open(browser, site);
  await keepGame(context, { start: START8, seats: { black: person, white: agent("beginner") } });
  await settings(context, { pace: false });
  await page.goto(site.url);
  // The same place also says that a turn was handed over, as it happens in some games.
  const score = page.locator(".score").filter({ hasText: /\d+ : \d+/ });
  for (let clicks = 0; clicks < 80; clicks += 1) {
    const banner = page.locator(".banner:not([hidden]) button");
    await page.locator(".square.legal, .banner:not([hidden]) button").or(score).first().waitFor();
    if (await score.count()) break;
    if (await banner.count()) await banner.click();
    else await legal(page).last().click();
  }
  const discs = await page.locator(".square .disc").count();
  const counts = (await page.locator(".side .count").allTextContents()).map(Number);
  assert.equal(counts[0] + counts[1], discs);
  assert.match(await page.locator(".status").textContent(), /win|draw/i);
  assert.match(await page.locator(".score").textContent(), /\d+ : \d+/);
  const empties = 64 - discs;
  assert.equal(await page.locator(".rail i:not(.gone)").count(), empties);
  await picture(page, "end");
  await check();
});

// Black has no move here, White has.
const BLACK_PASSES = "c4c3f5b4a4a5b2a3".match(/../g);

test("a forced pass is announced and waits for a click, whoever passes", async () => {
  for (const [black, text, label] of [
    [person, /You have no square to play: you must pass/, "Pass"],
    [agent("easy"), /Black has no square to play and must pass/, "OK"],
  ]) {
    const { page, context, check } = await open(browser, site);
    await keepGame(context, { start: START8, moves: BLACK_PASSES, seats: { black, white: person } });
    await page.goto(site.url);
    const banner = page.getByRole("alertdialog");
    assert.match(await banner.textContent(), text);
    await page.waitForTimeout(1500);
    assert.equal(await page.locator(".moves li").count(), BLACK_PASSES.length, "nobody clicked");
    await picture(page, "pass");
    await banner.getByRole("button", { name: label }).click();
    await legal(page).first().waitFor();
    assert.equal(await page.locator(".moves li").last().textContent(), "pass");
    assert.match(await page.getByRole("log").textContent(), /Black passes/);
    await check();
  }
});

test("a move is taken back until the other side has moved, and undone after it", async () => {
  const { page, context, check } = await open(browser, site);
  await keepGame(context, { start: START8, seats: { black: person, white: { ...agent("custom"), seconds: 6 } } });
  await page.goto(site.url);
  await square(page, "d3").click();
  await page.getByRole("button", { name: "Take back" }).click();
  assert.equal(await page.locator(".disc").count(), 4);
  await square(page, "c4").click();
  await page.locator(".disc").nth(5).waitFor();
  assert.equal(await page.locator(".disc").count(), 6);
  await legal(page).first().waitFor();
  assert(await page.getByRole("button", { name: "Take back" }).isDisabled());
  await page.locator("[data-action=undo]").click();
  assert.equal(await page.locator(".disc").count(), 4);
  await page.locator("[data-action=redo]").click();
  assert.equal(await page.locator(".disc").count(), 6);
  await check();
});

test("the keyboard alone is enough", async () => {
  const { page, context, check } = await open(browser, site);
  await keepGame(context, { start: START8, seats: { black: person, white: person } });
  await page.goto(site.url);
  await square(page, "a1").waitFor();
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.matches(".square"))) break;
  }
  // From a1 to d3, which turns d4.
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^d3, you can play here, turns 1/);
  await page.keyboard.press("Enter");
  assert.match(await square(page, "d3").getAttribute("aria-label"), /^d3, Black/);
  assert.match(await page.getByRole("log").textContent(), /Black plays d3 and turns 1/);
  await check();
});

test("a reload keeps the game, and a link brings another", async () => {
  const { page, check } = await open(browser, site);
  await page.goto(`${site.url}#board=8&moves=f5d6c3`);
  await page.locator(".disc").nth(6).waitFor();
  assert.equal(await page.locator(".disc").count(), 7);
  await page.reload();
  await page.locator(".disc").nth(6).waitFor();
  assert.equal(await page.locator(".disc").count(), 7);
  assert.equal(new URL(page.url()).hash, "");
  await page.goto(`${site.url}#board=6&moves=e4`);
  await page.waitForFunction(() => document.querySelectorAll(".square").length === 36);
  await check();
});

test("a pasted game is read, and a wrong one is told which ply is wrong", async () => {
  const { page, check } = await open(browser, site);
  await page.goto(site.url);
  await page.getByRole("button", { name: "Paste" }).click();
  await page.getByRole("textbox").fill("f5d6c3d3c4f4a1");
  await page.getByRole("button", { name: "Open" }).click();
  assert.match(await page.getByRole("alert").textContent(), /ply 7, 'a1'/);
  await page.getByRole("textbox").fill("(;GM[Othello]PC[x]DT[2000]PB[one]PW[two]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await page.locator(".disc").count(), 7);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Moves", { exact: true }).last().click();
  assert.equal(await page.getByRole("textbox").inputValue(), "f5d6c3");
  await check();
});

test("a position is set up and played from", async () => {
  const { page, check } = await open(browser, site);
  await page.goto(site.url);
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("button", { name: "Empty board" }).click();
  assert.equal(await page.locator(".disc").count(), 0);
  for (const name of ["a1", "b1"]) await square(page, name).click();
  await square(page, "b1").click();
  await page.getByRole("button", { name: "Done" }).click();
  await square(page, "c1").click();
  assert.equal(await page.locator(".disc[data-color=black]").count(), 3);
  assert.match(await page.locator(".status").textContent(), /win/i);
  await check();
});

test("the analysis shows values of moves, a graph, and exact scores near the end", async () => {
  const { page, context, check } = await open(browser, site);
  await settings(context, { analysis: true });
  await page.goto(`${site.url}#board=8&moves=f5d6c3d3c4f4f6`);
  await page.locator(".hint.best").waitFor();
  await page.locator(".graph .curve").waitFor();
  await picture(page, "analysis");
  await check();
});

test("a phone has room for all of it", async () => {
  const { page, context, check } = await open(browser, site, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await keepGame(context, { start: START8, seats: { black: person, white: agent("medium") } });
  await page.goto(site.url);
  await square(page, "d3").tap();
  await page.locator(".disc").nth(4).waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert(width <= 360, `${width} pixels wide`);
  const small = await page.evaluate(() => Math.min(...[...document.querySelectorAll(".square")].map((s) => s.getBoundingClientRect().width)));
  assert(small >= 34, `squares of ${small} pixels`);
  await picture(page, "phone");
  await check();
});

test("nothing moves while the page is ready soon", async () => {
  const { page, context, check } = await open(browser, site);
  await context.addInitScript(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shift += entry.hadRecentInput ? 0 : entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(site.url);
  await legal(page).first().waitFor();
  const ready = await page.evaluate(() => performance.now());
  console.log(`ready after ${Math.round(ready)} ms`);
  await square(page, "d3").click();
  await page.locator(".disc").nth(5).waitFor();
  const shift = await page.evaluate(() => globalThis.shift);
  assert(shift < 0.02, `layout shift ${shift}`);
  await check();
});

test("it works without a connection after the first visit", async () => {
  const { page, context, check } = await open(browser, site);
  await page.goto(site.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await context.setOffline(true);
  await page.reload();
  await square(page, "d3").click();
  await page.locator(".disc").nth(5).waitFor();
  await check();
});

test("dark, in every language", async () => {
  const { page, context, check } = await open(browser, site, { colorScheme: "dark" });
  await page.goto(site.url);
  for (const language of ["gd", "haw", "st", "ts", "en"]) {
    await page.locator("[data-action=settings]").click();
    await page.locator("dialog select").selectOption(language);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.documentElement.lang), language);
  }
  void context;
  await picture(page, "dark");
  await check();
});

test("a new game is chosen: two agents on a clock", async () => {
  const { page, check } = await open(browser, site);
  await page.goto(site.url, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByText("Two agents").click();
  await page.getByLabel("Strength of Black").selectOption("easy");
  await page.getByLabel("Strength of White").selectOption("custom");
  await page.getByLabel("Simulations a move").fill("5");
  await page.getByLabel("Clock").selectOption({ label: "1 min each" });
  await picture(page, "new-game");
  // There is no model for this board.
  await page.getByText("6×6").click();
  assert(await page.getByRole("button", { name: "Start" }).isDisabled());
  await page.getByText("8×8").click();
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".disc").nth(6).waitFor();
  assert.match(await page.locator(".side .clock").first().textContent(), /^0:5\d$|^1:00$/);
  await check();
});

test("an agent can be stopped while it thinks", async () => {
  const { page, context, check } = await open(browser, site);
  await keepGame(context, { start: START8, seats: { black: { ...agent("custom"), seconds: 60 }, white: person } });
  await page.goto(site.url);
  await page.getByRole("button", { name: "Move now" }).click();
  await legal(page).first().waitFor();
  assert.equal(await page.locator(".disc").count(), 5);
  await check();
});

test("a game that is lost on time is over", async () => {
  const { page, context, check } = await open(browser, site);
  const used = { black: 59.5, white: 0 };
  await keepGame(context, { start: START8, seats: { black: person, white: person }, clock: 60, used });
  await page.goto(site.url);
  await page.getByRole("alertdialog").getByText("Black has run out of time").waitFor();
  assert.match(await page.locator(".status").textContent(), /White wins/);
  assert.equal(await legal(page).count(), 0);
  await check();
});

test("a link to a game that breaks the rules says where", async () => {
  const { page, check } = await open(browser, site);
  await page.goto(`${site.url}#board=8&moves=f5d6f5`, { waitUntil: "networkidle" });
  const banner = page.getByRole("alertdialog");
  assert.match(await banner.textContent(), /ply 3, 'f5'/);
  await banner.getByRole("button").click();
  assert.equal(await legal(page).count(), 4);
  await check();
});
