// The rules, formats and notation, from the same module that the worker thinks with.

import { initSync, readGame, startPosition, viewGame, writeGame } from "../pkg/outflank_web.js";
import type { GameView, ReadGame } from "./types";

export type Format = "transcript" | "ggf" | "sgf" | "position" | "obf";

export function start(module: WebAssembly.Module): void {
  initSync({ module });
}

/** The start position of a board with so many squares a side. */
export const opening = (side: number): string => startPosition(side);

/** Replays moves; throws where one is not legal. */
export const view = (start: string, moves: readonly string[]): GameView =>
  JSON.parse(viewGame(start, moves.join("")));

/** Reads any text that holds a game or a position; the message of what it throws says why not. */
export const read = (text: string, side: number): ReadGame => JSON.parse(readGame(text, side));

export const write = (
  start: string,
  moves: readonly string[],
  names: readonly [string, string],
  format: Format,
): string => writeGame(start, moves.join(""), names[0], names[1], format);

/** The moves of a transcript without blanks. */
export const split = (moves: string): string[] => moves.match(/../g) ?? [];

/** A square's name by its number, row by row. */
export const squareName = (square: number, size: number): string =>
  String.fromCharCode(97 + (square % size)) + (Math.floor(square / size) + 1);

export const squareNumber = (name: string, size: number): number =>
  name.charCodeAt(0) - 97 + (Number(name[1]) - 1) * size;
