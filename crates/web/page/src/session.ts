// The game that is on: its moves, who plays, what was undone, clocks. It knows nothing of the page.

import * as rules from "./rules";
import type { Seat } from "./levels";
import { other, type Color, type GameView } from "./types";

/** What is kept when the page closes. */
interface Stored {
  start: string;
  /** Passes are `pa`. */
  moves: string[];
  /** How many of the moves are on the board; those behind were undone, or are yet to be seen. */
  cursor: number;
  seats: Record<Color, Seat>;
  /** Seconds each, or none. */
  clock: number | null;
  used: Record<Color, number>;
  timeOver: Color | null;
}

const KEY = "outflank.game";

export class Session {
  private stored: Stored;
  private cached: GameView | null = null;
  private since: number | null = null;
  /** The side whose clock runs. */
  private running: Color | null = null;

  constructor(stored: Stored) {
    this.stored = stored;
  }

  static begin(start: string, seats: Record<Color, Seat>, clock: number | null = null, moves: string[] = []): Session {
    const used = { black: 0, white: 0 };
    return new Session({ start, moves, cursor: moves.length, seats, clock, used, timeOver: null });
  }

  /** The game that was on when the page was closed, if it can still be replayed. */
  static restore(): Session | null {
    try {
      const stored: Stored | null = JSON.parse(localStorage.getItem(KEY) ?? "null");
      if (!stored) return null;
      rules.view(stored.start, stored.moves);
      const session = new Session(stored);
      session.view();
      return session;
    } catch {
      return null;
    }
  }

  save(): void {
    this.charge();
    try {
      localStorage.setItem(KEY, JSON.stringify(this.stored));
    } catch {
      // Private windows may refuse; the game goes on without.
    }
  }

  view(): GameView {
    this.cached ??= rules.view(this.stored.start, this.moves().slice(0, this.cursor));
    return this.cached;
  }

  /** The view after so many of the moves. */
  viewAt(ply: number): GameView {
    return rules.view(this.stored.start, this.moves().slice(0, ply));
  }

  /** All moves, the undone ones too. */
  moves(): readonly string[] {
    return this.stored.moves;
  }

  get start(): string {
    return this.stored.start;
  }

  get cursor(): number {
    return this.stored.cursor;
  }

  get seats(): Record<Color, Seat> {
    return this.stored.seats;
  }

  get timeOver(): Color | null {
    return this.stored.timeOver;
  }

  /** Whether the board shows the last move there is. */
  isLatest(): boolean {
    return this.cursor === this.moves().length;
  }

  isOver(): boolean {
    return this.view().over || (this.timeOver !== null && this.isLatest());
  }

  /** Plays a square's name or `pa`; what was undone is forgotten. */
  play(move: string): void {
    this.stored.moves = [...this.moves().slice(0, this.cursor), move];
    this.walk(this.cursor + 1);
  }

  /** Shows the game after so many moves. */
  walk(ply: number): void {
    this.charge();
    this.stored.cursor = Math.max(0, Math.min(ply, this.moves().length));
    this.cached = null;
  }

  /** Forgets what was undone, and plays on from here. */
  playOn(): void {
    this.stored.moves = this.moves().slice(0, this.cursor);
    this.stored.timeOver = null;
  }

  /** The person who may take the last move back: the other side has not moved since. */
  mayTakeBack(): Color | null {
    const last = this.view().plies.at(-1);
    if (!last || last.name === "pass" || !this.isLatest() || this.timeOver) return null;
    return this.seats[last.player].kind === "person" ? last.player : null;
  }

  takeBack(): void {
    if (!this.mayTakeBack()) return;
    this.walk(this.cursor - 1);
    this.playOn();
  }

  /** Where undo leads: to the last decision of a person, or one ply back. */
  undoTarget(): number {
    const { plies } = this.view();
    for (let ply = plies.length - 1; ply >= 0; ply -= 1) {
      if (this.seats[plies[ply].player].kind === "person" && plies[ply].name !== "pass") return ply;
    }
    return Math.max(0, plies.length - 1);
  }

  /** Where redo leads. */
  redoTarget(): number {
    const { plies } = this.viewAt(this.moves().length);
    for (let ply = this.cursor + 1; ply < plies.length; ply += 1) {
      if (this.seats[plies[ply].player].kind === "person" && plies[ply].name !== "pass") return ply;
    }
    return plies.length;
  }

  swapSides(): void {
    const { black, white } = this.seats;
    this.stored.seats = { black: white, white: black };
  }

  get hasClock(): boolean {
    return this.stored.clock !== null;
  }

  /** Starts, changes or stops the clock that runs. */
  run(color: Color | null): void {
    if (!this.hasClock || this.running === color) return;
    this.charge();
    this.running = color;
    this.since = color ? performance.now() : null;
  }

  /** Seconds left, none without a clock. */
  left(color: Color): number | null {
    if (this.stored.clock === null) return null;
    const running = this.running === color && this.since !== null ? (performance.now() - this.since) / 1000 : 0;
    return Math.max(0, this.stored.clock - this.stored.used[color] - running);
  }

  /** Ends the game of a side that has no time left. */
  checkTime(): boolean {
    if (!this.running || this.left(this.running) !== 0) return false;
    this.stored.timeOver = this.running;
    this.run(null);
    return true;
  }

  private charge(): void {
    if (this.running && this.since !== null) {
      const now = performance.now();
      this.stored.used[this.running] += (now - this.since) / 1000;
      this.since = now;
    }
  }

  /** Who sits at the bottom: the person, if there is just one. */
  bottom(): Color {
    const { black, white } = this.seats;
    return white.kind === "person" && black.kind === "agent" ? "white" : "black";
  }

  /** Who has won, once it is over. */
  winner(): Color | "draw" | null {
    if (!this.isOver()) return null;
    if (this.timeOver && this.isLatest()) return other(this.timeOver);
    const { plain } = this.view();
    return plain === 0 ? "draw" : plain > 0 ? "black" : "white";
  }

  /** The part of a link behind `#`. */
  link(): string {
    const moves = this.moves().slice(0, this.cursor).join("");
    const { size } = this.view();
    const standard = this.start === rules.opening(size);
    const parts: Record<string, string> = standard ? { board: String(size), moves } : { position: this.start.replace(" ", "_"), moves };
    return new URLSearchParams(parts).toString();
  }
}

/** Reads what {@link Session.link} wrote; null if it is not a link of a game. */
export function fromLink(hash: string): { start: string; moves: string[] } | null {
  const parts = new URLSearchParams(hash.replace(/^.*#/, ""));
  const [board, position, moves] = ["board", "position", "moves"].map((name) => parts.get(name));
  if (!board && !position) return null;
  const start = position ? position.replace("_", " ") : rules.opening(Number(board));
  const view = rules.view(start, [moves ?? ""]);
  return { start: view.start, moves: rules.split(view.moves) };
}
