// The board: squares to click, tap or reach by keys, discs that turn, hints on the squares.

import { el, setText } from "./dom";
import { squareName } from "./rules";
import type { Color, GameView } from "./types";
import { t } from "./words";

/** What is written on a square. */
export interface Hint {
  text: string;
  detail: string;
  /** 0 for the best move, up to 1 for much worse ones. */
  worse: number;
  exact: boolean;
}

export interface BoardState {
  view: GameView;
  /** Whether a person is to play here now. */
  active: boolean;
  showLegal: boolean;
  hints: ReadonlyMap<number, Hint>;
  /** Replaces the discs while a position is set up. */
  squares?: string;
}

const DISCS: Record<string, Color | undefined> = { X: "black", O: "white" };

export class BoardElement {
  readonly element = el("div", { class: "board", role: "grid" });
  private squares: HTMLButtonElement[] = [];
  private size = 0;
  /** The square that the keys have reached. */
  private focus = 0;

  constructor(private onSquare: (square: number) => void) {
    this.element.addEventListener("keydown", (event) => this.onKey(event));
  }

  show(state: BoardState): void {
    const { view } = state;
    if (view.size !== this.size) this.build(view.size);
    this.element.setAttribute("aria-label", t("board"));
    this.element.classList.toggle("active", state.active);
    const text = state.squares ?? view.position;
    const last = state.squares ? undefined : view.plies.at(-1);
    this.squares.forEach((square, index) => {
      const color = DISCS[text[index]];
      const legal = state.active && !state.squares ? view.legal.indexOf(index) : -1;
      this.showDisc(square, color, last?.square ?? null, last?.flips.includes(index) ?? false, index);
      square.classList.toggle("legal", legal >= 0 && state.showLegal);
      square.classList.toggle("last", last?.square === index);
      const hint = state.hints.get(index);
      this.showHint(square, hint);
      const name = squareName(index, view.size);
      const what = color ? t(color) : legal >= 0 ? t("squareLegal", { n: view.flips[legal].length }) : t("squareEmpty");
      const label = `${name}, ${what}${hint ? `, ${hint.text} ${hint.detail}` : ""}`;
      if (square.getAttribute("aria-label") !== label) square.setAttribute("aria-label", label);
      square.setAttribute("aria-disabled", String(legal < 0 && !state.squares));
    });
  }

  /** A square that cannot be played shakes its head. */
  refuse(index: number): void {
    const square = this.squares[index];
    square.classList.remove("refused");
    void square.offsetWidth;
    square.classList.add("refused");
  }

  private build(size: number): void {
    this.size = size;
    this.focus = 0;
    this.element.style.setProperty("--size", String(size));
    this.squares = Array.from({ length: size * size }, (_, index) =>
      el("button", {
        class: "square",
        type: "button",
        role: "gridcell",
        tabindex: index === 0 ? 0 : -1,
        "data-square": squareName(index, size),
        click: () => {
          this.reach(index);
          this.onSquare(index);
        },
      }),
    );
    const rows = Array.from({ length: size }, (_, row) =>
      el("div", { class: "row", role: "row" }, ...this.squares.slice(row * size, (row + 1) * size)),
    );
    this.element.replaceChildren(...rows);
  }

  private showDisc(square: HTMLButtonElement, color: Color | undefined, from: number | null, turned: boolean, index: number): void {
    let disc = square.querySelector<HTMLElement>(".disc");
    if (!color) {
      disc?.remove();
      return;
    }
    if (!disc) {
      const faces = [el("span", { class: "face black" }), el("span", { class: "face white" })];
      disc = el("span", { class: "disc new", "aria-hidden": "true" }, ...faces);
      disc.dataset.color = color;
      square.prepend(disc);
      return;
    }
    if (disc.dataset.color === color) return;
    // Discs turn one after the other, away from the one that was placed.
    const distance = turned && from !== null ? this.distance(from, index) : 0;
    disc.style.setProperty("--delay", `${60 * distance}ms`);
    disc.classList.remove("new");
    disc.dataset.color = color;
  }

  private distance(a: number, b: number): number {
    const { size } = this;
    return Math.max(Math.abs((a % size) - (b % size)), Math.abs(Math.floor(a / size) - Math.floor(b / size)));
  }

  private showHint(square: HTMLButtonElement, hint: Hint | undefined): void {
    let element = square.querySelector<HTMLElement>(".hint");
    if (!hint) {
      element?.remove();
      return;
    }
    if (!element) {
      element = el("span", { class: "hint", "aria-hidden": "true" }, el("b"), el("small"));
      square.append(element);
    }
    element.classList.toggle("exact", hint.exact);
    element.classList.toggle("best", hint.worse === 0);
    element.style.setProperty("--worse", hint.worse.toFixed(2));
    setText(element.children[0], hint.text);
    setText(element.children[1], hint.detail);
  }

  private reach(index: number, focus = false): void {
    this.squares[this.focus].tabIndex = -1;
    this.focus = index;
    this.squares[index].tabIndex = 0;
    if (focus) this.squares[index].focus();
  }

  private onKey(event: KeyboardEvent): void {
    const { size, focus } = this;
    const [column, row] = [focus % size, Math.floor(focus / size)];
    const target: Record<string, number | undefined> = {
      ArrowLeft: column > 0 ? focus - 1 : focus,
      ArrowRight: column < size - 1 ? focus + 1 : focus,
      ArrowUp: row > 0 ? focus - size : focus,
      ArrowDown: row < size - 1 ? focus + size : focus,
      Home: focus - column,
      End: focus - column + size - 1,
    };
    const next = target[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.reach(next, true);
  }
}
