import type { Words } from "./en";

/** Tsonga. Not reviewed by a speaker yet. */
export const ts: Partial<Words> = {
  language: "Xitsonga",
  black: "Ntima",
  white: "Basa",
  you: "Wena",
  human: "Munhu",
  newGame: "Ntlangu lowuntshwa",
  close: "Pfala",
  start: "Sungula",
  wordsIn: "Ririmi",
  theme: "Mihlovo",
};
