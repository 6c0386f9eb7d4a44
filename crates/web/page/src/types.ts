// What the Rust side says, as JSON: see GameView, Task and Thought in crates/web/src.

export type Color = "black" | "white";

export const COLORS: readonly Color[] = ["black", "white"];

export const other = (color: Color): Color => (color === "black" ? "white" : "black");

export interface Ply {
  name: string;
  square: number | null;
  player: Color;
  flips: number[];
  handedOver: boolean;
  empties: number;
}

export interface GameView {
  size: number;
  start: string;
  position: string;
  moves: string;
  plies: Ply[];
  toMove: Color;
  legal: number[];
  /** What each legal move would turn. */
  flips: number[][];
  mustPass: boolean;
  over: boolean;
  discs: [number, number];
  supplies: [number, number];
  /** Black's discs less White's as they lie, and with empty squares to the winner. */
  plain: number;
  tournament: number;
}

export interface ReadGame {
  start: string;
  moves: string;
  players: [string, string];
}

export interface Task {
  position: string;
  aim: "play" | "analyse";
  simulations: number;
  seconds?: number;
  solveEmpties?: number;
  temperature?: number;
  seed?: number;
}

export interface MoveThought {
  name: string;
  prior: number;
  policy: number;
  visits: number;
  margin: number | null;
  exact: number | null;
}

/** Values are those of the player to move. */
export interface Thought {
  position: string;
  toMove: Color;
  done: boolean;
  best: string | null;
  outcome: number;
  margin: number;
  exact: number | null;
  moves: MoveThought[];
  line: string[];
  simulations: number;
  nodes: number;
  seconds: number;
}

export interface ModelDescription {
  size: number;
  network: string;
  games: number;
}
