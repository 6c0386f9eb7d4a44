import type { Words } from "./en";

/** Sesotho. Not reviewed by a speaker yet. */
export const st: Partial<Words> = {
  language: "Sesotho",
  black: "E ntsho",
  white: "E tshweu",
  you: "Wena",
  human: "Motho",
  newGame: "Papadi e ntjha",
  close: "Kwala",
  easy: "Bonolo",
  strong: "Matla",
  start: "Qala",
  wordsIn: "Puo",
  theme: "Mebala",
  copy: "Kopitsa",
};
