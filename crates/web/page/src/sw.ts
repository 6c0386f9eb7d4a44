// Keeps the page for when there is no connection: the server is asked first, so nothing is stale.

import { moduleFile } from "./module";

const CACHE = "outflank";
const FILES = ["./", "style.css", "page.js", "worker.js", "icon.svg", "manifest.webmanifest", "models.json"];

interface Waiting extends Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface Fetching extends Event {
  readonly request: globalThis.Request;
  respondWith(response: Promise<Response>): void;
}
const scope = self as unknown as { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } };

self.addEventListener("install", (event) => {
  (event as Waiting).waitUntil(keepAll().then(() => scope.skipWaiting()));
});

self.addEventListener("activate", (event) => (event as Waiting).waitUntil(scope.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event as Fetching;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) {
    (event as Fetching).respondWith(answer(request));
  }
});

async function keepAll(): Promise<void> {
  const cache = await caches.open(CACHE);
  const models: { file?: string }[] = await (await fetch("models.json")).json();
  await cache.addAll([...FILES, moduleFile(), ...models.flatMap(({ file }) => file ?? [])]);
}

async function answer(request: globalThis.Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
