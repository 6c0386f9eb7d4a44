// The interface's language. Another one: a file in words/, and a line here.

import { en, type Key, type Words } from "../words/en";
import { gd } from "../words/gd";
import { haw } from "../words/haw";
import { st } from "../words/st";
import { ts } from "../words/ts";

export const LANGUAGES: Record<string, Partial<Words>> = { en, gd, haw, st, ts };

/** Languages whose words a speaker has read. */
export const REVIEWED: readonly string[] = ["en"];

let chosen: Partial<Words> = en;

export function speak(language: string): void {
  chosen = LANGUAGES[language] ?? en;
  document.documentElement.lang = language in LANGUAGES ? language : "en";
}

/** The words of a key, with `{name}` filled in. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = chosen[key] ?? en[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
