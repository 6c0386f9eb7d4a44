import type { Words } from "./en";

/** Scottish Gaelic. Not reviewed by a speaker yet. */
export const gd: Partial<Words> = {
  language: "Gàidhlig",
  black: "Dubh",
  white: "Geal",
  you: "Thusa",
  human: "Duine",
  newGame: "Geama ùr",
  undo: "Neo-dhèan",
  settings: "Roghainnean",
  close: "Dùin",
  cancel: "Sguir dheth",
  easy: "Furasta",
  strong: "Làidir",
  boardSize: "Bòrd",
  board: "Bòrd",
  clock: "Cloc",
  start: "Tòisich",
  moves: "Gluasadan",
  wordsIn: "Cànan",
  theme: "Dathan",
  light: "Soilleir",
  dark: "Dorcha",
  copy: "Dèan lethbhreac",
};
