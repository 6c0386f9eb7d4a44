// The two players: name, discs, clock, and the rail with the discs that are not placed yet.

import { el, setText } from "./dom";
import type { Color } from "./types";
import { t } from "./words";

export interface SideState {
  name: string;
  toMove: boolean;
  thinking: boolean;
  discs: number;
  supply: number;
  /** Half a set: the places of the rail. */
  places: number;
  /** Seconds left, if there is a clock. */
  left: number | null;
}

export class SideElement {
  readonly element: HTMLElement;
  private name = el("span", { class: "name" });
  private clock = el("span", { class: "clock" });
  private count = el("span", { class: "count" });
  private rail = el("span", { class: "rail", role: "img" });

  constructor(readonly color: Color) {
    this.element = el(
      "section",
      { class: `side ${color}` },
      el("span", { class: `dot ${color}`, "aria-hidden": "true" }),
      this.name,
      this.clock,
      this.count,
      this.rail,
    );
  }

  show(state: SideState): void {
    this.element.classList.toggle("to-move", state.toMove);
    this.element.classList.toggle("thinking", state.thinking);
    this.element.setAttribute("aria-label", t(this.color));
    setText(this.name, state.name);
    setText(this.count, String(state.discs));
    this.count.setAttribute("aria-label", `${state.discs} ${t("discs")}`);
    this.showClock(state.left);
    while (this.rail.children.length < state.places) this.rail.append(el("i"));
    while (this.rail.children.length > state.places) this.rail.lastChild?.remove();
    [...this.rail.children].forEach((disc, index) => disc.classList.toggle("gone", index >= state.supply));
    const label = state.supply > 0 ? t("supply", { n: state.supply }) : t("emptySupply");
    this.rail.setAttribute("aria-label", label);
    this.rail.title = label;
  }

  showClock(left: number | null): void {
    this.clock.hidden = left === null;
    if (left === null) return;
    const seconds = Math.ceil(left);
    const rest = String(seconds % 60).padStart(2, "0");
    setText(this.clock, `${Math.floor(seconds / 60)}:${rest}`);
    this.clock.classList.toggle("short", left < 20);
  }
}
