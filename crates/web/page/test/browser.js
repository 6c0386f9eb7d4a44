// A server for an exported folder, and pages whose errors and requests are watched.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

/** Serves a folder below a path, as a static host would. */
export async function serve(folder, below = "/some/where/") {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    // Browsers ask for it where a page names no icon, as a list of models does.
    if (path === "/favicon.ico") return response.writeHead(204).end();
    const inside = path.startsWith(below) ? normalize(path.slice(below.length) || "index.html") : "..";
    try {
      assert(!inside.startsWith(".."));
      const content = await readFile(join(folder, inside));
      response.writeHead(200, { "content-type": TYPES[extname(inside)] ?? "application/octet-stream" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { url: origin + below, origin, close: () => server.close() };
}

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });

/** A page in a profile of its own; `check` fails if it has logged an error or asked another host. */
export async function open(browser, site, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 820 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  context.on("request", (request) => {
    if (!request.url().startsWith(site.origin)) troubles.push(`asked for ${request.url()}`);
  });
  const check = async () => {
    await context.close();
    assert.deepEqual(troubles, []);
  };
  return { page, context, check };
}

/** Keeps a game in the browser as the page itself does, before the page starts. */
export async function keepGame(context, game) {
  const full = { moves: [], clock: null, used: { black: 0, white: 0 }, timeOver: null, ...game };
  const stored = JSON.stringify({ cursor: full.moves.length, ...full });
  await context.addInitScript((stored) => {
    if (!sessionStorage.getItem("kept")) localStorage.setItem("outflank.game", stored);
    sessionStorage.setItem("kept", "yes");
  }, stored);
}

export const person = { kind: "person" };
export const agent = (level) => ({ kind: "agent", level });

export const square = (page, name) => page.locator(`[data-square="${name}"]`);

/** Where the person to move may play. */
export const legal = (page) => page.locator(".square.legal");
