// Starts the page: module, models, and the game that was on or a new one.

import { messageOf } from "./dialogs";
import { el } from "./dom";
import { get, start } from "./engine";
import { moduleFile } from "./module";
import { Page } from "./page";
import * as rules from "./rules";
import { t } from "./words";

async function main(): Promise<void> {
  const response = await get(moduleFile());
  const module = await WebAssembly.compile(await response.arrayBuffer());
  rules.start(module);
  const page = new Page();
  document.body.replaceChildren(page.element);
  page.serve(await start(module));
  if ("serviceWorker" in navigator && isSecureContext) await navigator.serviceWorker.register("sw.js");
}

main().catch((error: unknown) => {
  const help = location.protocol === "file:" ? t("needsServer") : t("failed", { message: messageOf(error) });
  document.body.append(el("p", { class: "failure", role: "alert" }, help));
});
