// What the agent thinks of the positions of a game: the bar, the graph, the list of moves.

import type { Hint } from "./board";
import { el, setText, svg } from "./dom";
import { squareNumber } from "./rules";
import { type Color, type GameView, type Ply, type Thought } from "./types";
import { t } from "./words";

/** What is kept of a thought, seen by Black. */
export interface Verdict {
  margin: number;
  outcome: number;
  exact: boolean;
  best: string | null;
  simulations: number;
}

const sign = (color: Color): number => (color === "black" ? 1 : -1);

export function verdict(thought: Thought): Verdict {
  const s = sign(thought.toMove);
  return {
    margin: s * thought.margin,
    outcome: s * thought.outcome,
    exact: thought.exact !== null,
    best: thought.best,
    simulations: thought.simulations,
  };
}

/** The verdict on a finished game. */
export function finished(view: GameView): Verdict {
  const margin = view.tournament;
  return { margin, outcome: Math.sign(margin), exact: true, best: null, simulations: 0 };
}

/** A score with its sign, to the half disc unless it is exact. */
export function scored(margin: number, exact: boolean): string {
  const rounded = exact ? Math.round(margin) : Math.round(margin * 2) / 2;
  const text = Math.abs(rounded).toFixed(exact || Math.abs(rounded) >= 10 ? 0 : 1);
  return rounded > 0 ? `+${text}` : rounded < 0 ? `−${text}` : "0";
}

/** How the game stands, in words. */
export function standing({ margin, exact }: Verdict): string {
  if (Math.abs(margin) < (exact ? 0.5 : 0.75)) return t("even");
  const leader = margin > 0 ? "black" : "white";
  return t("ahead", { color: t(leader), n: scored(Math.abs(margin), exact) });
}

/** Moves this many discs behind the best are shown as bad as can be. */
const WORST = 12;
/** Moves with fewer visits than this share of the best one's are not worth a number. */
const LEAST_SHARE = 0.002;

/** The hints for a thought: what each move is expected to bring its player. */
export function hints(thought: Thought, size: number): Map<number, Hint> {
  const most = Math.max(...thought.moves.map((move) => move.visits), 1);
  const shown = thought.moves.filter(
    (move) => move.name !== "pass" && move.margin !== null && (move.exact !== null || move.visits >= most * LEAST_SHARE),
  );
  const best = thought.moves.find((move) => move.name === thought.best)?.margin ?? 0;
  return new Map(
    shown.map((move) => {
      const exact = move.exact !== null;
      const isBest = move.name === thought.best || (exact && move.exact === thought.exact);
      const worse = Math.min(1, Math.max(0.05, (best - move.margin!) / WORST));
      const detail = exact ? t("exact") : compact(move.visits);
      return [squareNumber(move.name, size), { text: scored(move.margin!, exact), detail, worse: isBest ? 0 : worse, exact }];
    }),
  );
}

const compact = (n: number): string => (n < 1000 ? String(n) : n < 10000 ? `${(n / 1000).toFixed(1)}k` : `${Math.round(n / 1000)}k`);

/** Discs that a ply has lost, as far as both verdicts tell; null if they do not. */
export function loss(ply: Ply, before: Verdict | undefined, after: Verdict | undefined): number | null {
  if (!before || !after || ply.name === "pass") return null;
  if (ply.name === before.best) return 0;
  return Math.max(0, sign(ply.player) * (before.margin - after.margin));
}

/** How bad a loss is: the marks of chess. */
export const mark = (lost: number | null): string => (lost === null || lost < 3 ? "" : lost < 6 ? "?!" : lost < 12 ? "?" : "??");

export class BarElement {
  readonly element = el("div", { class: "bar", role: "img" }, el("i"), el("span"));

  show(verdict: Verdict | undefined, bottom: Color): void {
    this.element.classList.toggle("idle", !verdict);
    this.element.dataset.bottom = bottom;
    const share = 0.5 + 0.5 * (verdict?.outcome ?? 0);
    this.element.style.setProperty("--black", `${(100 * share).toFixed(1)}%`);
    const text = verdict ? standing(verdict) : "";
    this.element.setAttribute("aria-label", text);
    this.element.title = text;
  }
}

export class GraphElement {
  readonly element = svg("svg", { class: "graph", viewBox: "0 0 300 84", preserveAspectRatio: "none", role: "img" });

  constructor(private onPly: (ply: number) => void) {
    this.element.addEventListener("click", (event) => {
      const { left, width } = this.element.getBoundingClientRect();
      this.onPly(Math.round(((event as MouseEvent).clientX - left) / width * this.plies));
    });
  }

  private plies = 1;

  /** Draws the verdicts after each ply; some may be missing yet. */
  show(verdicts: (Verdict | undefined)[], cursor: number, area: number): void {
    this.plies = Math.max(1, verdicts.length - 1);
    this.element.setAttribute("aria-label", t("graph"));
    const scale = Math.max(8, ...verdicts.map((v) => Math.abs(v?.margin ?? 0)));
    const x = (ply: number): string => ((300 * ply) / this.plies).toFixed(1);
    const y = (margin: number): string => (42 - (40 * margin) / Math.min(area, scale)).toFixed(1);
    const points = verdicts.flatMap((v, ply) => (v ? [`${x(ply)},${y(v.margin)}`] : []));
    const known = verdicts.flatMap((v, ply) => (v ? [ply] : []));
    const parts = [svg("line", { class: "zero", x1: 0, x2: 300, y1: 42, y2: 42 })];
    if (points.length > 1) {
      const outline = `${x(known[0])},42 ${points.join(" ")} ${x(known.at(-1)!)},42`;
      parts.push(svg("polygon", { class: "area", points: outline }));
      parts.push(svg("polyline", { class: "curve", points: points.join(" ") }));
    }
    parts.push(svg("line", { class: "now", x1: x(cursor), x2: x(cursor), y1: 0, y2: 84 }));
    this.element.replaceChildren(...parts);
  }
}

export class MovesElement {
  readonly element = el("ol", { class: "moves" });
  private key = "";

  constructor(private onPly: (ply: number) => void) {}

  show(plies: readonly Ply[], cursor: number, verdicts: readonly (Verdict | undefined)[]): void {
    const marks = plies.map((ply, index) => {
      const lost = loss(ply, verdicts[index], verdicts[index + 1]);
      return { lost, mark: mark(lost), exact: Boolean(verdicts[index]?.exact && verdicts[index + 1]?.exact) };
    });
    const key = JSON.stringify([plies.map((ply) => ply.name), cursor, marks, document.documentElement.lang]);
    if (key === this.key) return;
    this.key = key;
    this.element.setAttribute("aria-label", t("moves"));
    const items = plies.map((ply, index) => {
      const { lost, mark, exact } = marks[index];
      const n = Math.round(lost ?? 0);
      const title = mark ? `${t(exact ? "losesExactly" : "loses", { n })}, ${t("best", { move: verdicts[index]?.best ?? "" })}` : "";
      const current = index + 1 === cursor;
      return el(
        "li",
        { class: ply.player },
        el(
          "button",
          { type: "button", title, "aria-current": current ? "step" : null, click: () => this.onPly(index + 1) },
          ply.name === "pass" ? t("pass").toLowerCase() : ply.name,
          mark && el("b", { class: mark === "?!" ? "doubt" : "wrong" }, mark),
        ),
      );
    });
    const help = el("li", { class: "help" }, t("howToPlay"));
    this.element.replaceChildren(...(items.length > 0 ? items : [help]));
    const now = this.element.querySelector<HTMLElement>("[aria-current]");
    // Only the list scrolls, never the page.
    if (now) this.element.scrollTop = now.offsetTop - this.element.clientHeight / 2;
    else this.element.scrollTop = 0;
  }
}

/** One line about what is going on in the analysis. */
export function note(element: Element, thought: Thought | null, verdict: Verdict | undefined): void {
  if (!verdict) return setText(element, t("analysisHint"));
  const parts = [standing(verdict)];
  if (verdict.exact) parts.push(t("exact"));
  if (thought && !verdict.exact) parts.push(t("aboutSearch", { n: thought.simulations.toLocaleString("en") }));
  if (thought && !thought.done && thought.nodes > 0) parts.push(t("aboutSolve"));
  setText(element, parts.join(" · "));
}
