import type { Words } from "./en";

/** Hawaiian. Not reviewed by a speaker yet. */
export const haw: Partial<Words> = {
  language: "ʻŌlelo Hawaiʻi",
  black: "ʻEleʻele",
  white: "Keʻokeʻo",
  you: "ʻOe",
  human: "Kanaka",
  newGame: "Pāʻani hou",
  close: "Pani",
  easy: "Maʻalahi",
  strong: "Ikaika",
  clock: "Uaki",
  start: "Hoʻomaka",
  wordsIn: "ʻŌlelo",
  theme: "Nā waihoʻoluʻu",
  dark: "Pouli",
  copy: "Kope",
};
