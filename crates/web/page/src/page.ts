// The page: what is shown, what a click does, and whose turn it is to act.

import { BarElement, finished, GraphElement, hints, MovesElement, note, verdict, type Verdict } from "./analysis";
import { BoardElement, type Hint } from "./board";
import * as dialogs from "./dialogs";
import { el, icon, setText } from "./dom";
import type { Engine } from "./engine";
import { taskOf, type Seat } from "./levels";
import * as rules from "./rules";
import { fromLink, Session } from "./session";
import * as settings from "./settings";
import { SideElement } from "./sides";
import { COLORS, other, type Color, type GameView, type Ply, type Thought } from "./types";
import { speak, t } from "./words";

/** How long an agent takes at least, so that a move can be taken back before it. */
const PACE = 1100;
/** After so many seconds of thinking one may want it to end. */
const STOP_AFTER = 1.5;
/** How long a pass is shown where nobody is there to click it away. */
const PASS_SHOWN = 2500;
/** Simulations of the position on the board, of all others, and the empties that are solved. */
const DEEP = { simulations: 4000, solveEmpties: 16 };
const REVIEW = { simulations: 150, solveEmpties: 12 };

const PERSON: Seat = { kind: "person" };

const ICONS = {
  add: "M12 5v14M5 12h14",
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  redo: "m15 7 5 5-5 5m5-5H10a6 6 0 0 0-6 6",
  back: "M11 5 4 12l7 7M4 12h16",
  first: "M6 5v14M19 5l-9 7 9 7z",
  previous: "M16 5l-9 7 9 7z",
  next: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
};

export class Page {
  readonly element: HTMLElement;
  private session: Session;
  private settings = settings.load();
  private engine: Engine | null = null;
  /** What is going on, so that an answer that comes late is recognised. */
  private turn = 0;
  private thinking: Color | null = null;
  private thought: Thought | null = null;
  /** By position. */
  private verdicts = new Map<string, Verdict>();
  /** The discs of a position that is being set up, and who moves. */
  private draft: { squares: string[]; toMove: Color } | null = null;
  private spoken = 0;
  /** What is to be told before the game goes on. */
  private message: string | null = null;

  private board = new BoardElement((square) => this.onSquare(square));
  private bar = new BarElement();
  private sides: Record<Color, SideElement> = { black: new SideElement("black"), white: new SideElement("white") };
  private graph = new GraphElement((ply) => this.walk(ply));
  private moves = new MovesElement((ply) => this.walk(ply));
  private status = el("p", { class: "status" });
  private score = el("p", { class: "score" });
  private spokenElement = el("p", { class: "spoken", role: "log", "aria-live": "polite" });
  private banner = el("div", { class: "banner", role: "alertdialog", "aria-live": "assertive" });
  private analysisNote = el("p", { class: "note" });
  private buttons = el("div", { class: "buttons" });
  private walkers = el("div", { class: "walkers" });
  private analysisSwitch = el("input", { type: "checkbox", role: "switch" });
  private analysisLabel = el("span");
  private top = el("div");
  private bottom = el("div");
  private columns = el("div", { class: "letters", "aria-hidden": "true" });
  private rows = el("div", { class: "numbers", "aria-hidden": "true" });
  private tagline = el("span");
  private panel: HTMLElement;

  constructor() {
    this.session = this.begin();
    this.analysisSwitch.addEventListener("change", () => {
      this.change({ ...this.settings, analysis: this.analysisSwitch.checked });
    });
    this.panel = el(
      "aside",
      { class: "panel" },
      el("div", { class: "state" }, this.status, this.score),
      this.buttons,
      el("label", { class: "switch" }, this.analysisSwitch, el("i"), this.analysisLabel),
      el("div", { class: "analysis" }, this.analysisNote, el("div", { class: "plot" }, this.graph.element)),
      this.moves.element,
      this.walkers,
    );
    this.element = el(
      "main",
      {},
      el("header", { class: "brand" }, el("span", { class: "logo", "aria-hidden": "true" }), el("h1", {}, "Outflank"), this.tagline),
      el(
        "div",
        { class: "table" },
        this.top,
        el("div", { class: "frame" }, this.bar.element, this.rows, this.board.element, this.columns, this.banner),
        this.bottom,
      ),
      this.panel,
      this.spokenElement,
    );
    this.applySettings();
    document.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("paste", (event) => this.onPaste(event));
    addEventListener("hashchange", () => this.onLink());
    addEventListener("pagehide", () => this.session.save());
    setInterval(() => this.tick(), 200);
    this.update();
  }

  /** Whoever thinks has come. */
  serve(engine: Engine): void {
    this.engine = engine;
    this.update();
  }

  private begin(): Session {
    const linked = this.readLink();
    return linked ?? Session.restore() ?? Session.begin(rules.opening(8), { black: PERSON, white: { kind: "agent", level: "medium" } });
  }

  private readLink(): Session | null {
    if (!location.hash) return null;
    try {
      const game = fromLink(location.hash);
      return game && Session.begin(game.start, { black: PERSON, white: PERSON }, null, game.moves);
    } catch (error) {
      this.message = dialogs.messageOf(error);
      return null;
    } finally {
      // The link has done its work; from here on the game is kept as any other.
      history.replaceState(null, "", location.pathname + location.search);
    }
  }

  private onLink(): void {
    const session = this.readLink();
    if (session) this.replace(session);
  }

  // What the player does

  private onSquare(square: number): void {
    if (this.draft) {
      const { squares } = this.draft;
      squares[square] = { "-": "X", X: "O", O: "-" }[squares[square]] ?? "-";
      return this.render();
    }
    const view = this.session.view();
    if (!this.mayPlay() || !view.legal.includes(square)) return this.board.refuse(square);
    this.play(rules.squareName(square, view.size));
  }

  /** Whether a person is to choose a square now. */
  private mayPlay(): boolean {
    const view = this.session.view();
    return !this.session.isOver() && !view.mustPass && this.session.seats[view.toMove].kind === "person";
  }

  private play(move: string): void {
    this.session.play(move);
    this.say();
    this.update();
  }

  private walk(ply: number): void {
    if (this.draft) return;
    this.session.walk(ply);
    this.spoken = Math.min(this.spoken, this.session.cursor);
    this.say();
    this.update();
  }

  private replace(session: Session): void {
    this.session = session;
    this.draft = null;
    this.spoken = session.cursor;
    setText(this.spokenElement, "");
    this.update();
  }

  private load(text: string): void {
    const trimmed = text.trim();
    const linked = trimmed.includes("#") && !trimmed.startsWith("(") ? fromLink(trimmed) : null;
    const game = linked ?? rules.read(trimmed, this.session.view().size);
    const moves = typeof game.moves === "string" ? rules.split(game.moves) : game.moves;
    this.replace(Session.begin(game.start, { black: PERSON, white: PERSON }, null, moves));
  }

  private onPaste(event: ClipboardEvent): void {
    if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return;
    const text = event.clipboardData?.getData("text") ?? "";
    if (!text.trim()) return;
    event.preventDefault();
    try {
      this.load(text);
    } catch (error) {
      this.announce(dialogs.messageOf(error));
    }
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (target.closest("input, select, textarea")) return;
    const steps: Record<string, number> = { ArrowLeft: this.session.cursor - 1, ArrowRight: this.session.cursor + 1 };
    if (event.key in steps) {
      event.preventDefault();
      this.walk(steps[event.key]);
    }
  }

  private newGame(): void {
    dialogs.newGame(this.engine?.models ?? null, ({ seats, size, clock }) => {
      this.replace(Session.begin(rules.opening(size), seats, clock));
    });
  }

  private setUp(): void {
    const view = this.session.view();
    this.draft = { squares: [...view.position.slice(0, view.size ** 2)], toMove: view.toMove };
    this.update();
  }

  private finishSetUp(): void {
    if (!this.draft) return;
    const position = `${this.draft.squares.join("")} ${this.draft.toMove === "black" ? "X" : "O"}`;
    this.replace(Session.begin(position, this.session.seats));
  }

  private share(): void {
    const { session } = this;
    const names = COLORS.map((color) => this.nameOf(color)) as [string, string];
    const moves = session.moves().slice(0, session.cursor);
    dialogs.share((format) => {
      if (format !== "link") return rules.write(session.start, moves, names, format);
      return `${location.origin}${location.pathname}#${session.link()}`;
    });
  }

  private change(next: settings.Settings): void {
    this.settings = next;
    settings.save(next);
    this.applySettings();
    this.update();
  }

  private applySettings(): void {
    speak(this.settings.language);
    const root = document.documentElement;
    if (this.settings.theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = this.settings.theme;
    this.analysisSwitch.checked = this.settings.analysis;
  }

  // Whose turn it is

  /** After any change: stops what was going on, and does what the rules or the players want next. */
  private update(): void {
    this.turn += 1;
    this.engine?.stop();
    this.thinking = null;
    this.thought = null;
    this.session.save();
    const view = this.session.view();
    const live = !this.draft && this.session.isLatest() && !this.session.isOver();
    this.session.run(live ? view.toMove : null);
    if (view.over) this.verdicts.set(view.position, finished(view));
    const failed = (error: unknown): void => this.announce(dialogs.messageOf(error));
    this.hideBanner();
    if (this.message !== null) {
      this.showBanner(this.message, t("ok"), () => {
        this.message = null;
        this.update();
      });
    } else if (live && view.mustPass) this.showPass(view);
    else if (live && this.session.seats[view.toMove].kind === "agent") this.agentMoves(view).catch(failed);
    else this.analyse().catch(failed);
    this.render();
  }

  private async agentMoves(view: GameView): Promise<void> {
    const { turn, engine, session } = this;
    const seat = session.seats[view.toMove];
    if (!engine?.models.has(view.size) || seat.kind === "person") return;
    this.thinking = view.toMove;
    const begun = performance.now();
    const task = taskOf(seat, view.position, session.cursor, session.left(view.toMove));
    const thought = await engine.think(view.size, task, (thought) => this.hear(thought, turn));
    if (!thought || turn !== this.turn) return;
    this.hear(thought, turn);
    const watched = COLORS.every((color) => session.seats[color].kind === "agent");
    const pace = this.settings.pace ? PACE : watched ? 400 : 250;
    await new Promise((resolve) => setTimeout(resolve, begun + pace - performance.now()));
    if (turn === this.turn && thought.best) this.play(thought.best === "pass" ? "pa" : thought.best);
  }

  /** Plays the best move that the agent has found so far. */
  private moveNow(): void {
    const best = this.thought?.best;
    if (this.thinking && best) this.play(best === "pass" ? "pa" : best);
  }

  /** Thinks about the position on the board, and then about those of the game that nobody has. */
  private async analyse(): Promise<void> {
    const { turn, engine, session } = this;
    const view = session.view();
    if (!this.settings.analysis || !engine?.models.has(view.size) || this.draft) return;
    if (!view.over) {
      const task = { position: view.position, aim: "analyse" as const, ...DEEP };
      const thought = await engine.think(view.size, task, (thought) => this.hear(thought, turn));
      if (!thought || turn !== this.turn) return;
      this.hear(thought, turn);
    }
    for (let ply = session.moves().length; ply >= 0; ply -= 1) {
      const { position, over } = session.viewAt(ply);
      if (over || this.verdicts.has(position)) continue;
      const thought = await engine.think(view.size, { position, aim: "analyse", ...REVIEW }, () => {});
      if (!thought || turn !== this.turn) return;
      this.verdicts.set(position, verdict(thought));
      this.render();
    }
  }

  private hear(thought: Thought, turn: number): void {
    if (turn !== this.turn) return;
    this.thought = thought;
    const known = this.verdicts.get(thought.position);
    // A weak agent knows less than an earlier analysis.
    if (!known || thought.exact !== null || thought.simulations >= known.simulations) {
      this.verdicts.set(thought.position, verdict(thought));
    }
    this.render();
  }

  private tick(): void {
    if (!this.session.hasClock) return;
    if (this.session.checkTime()) {
      this.announce(t("timeOver", { color: t(this.session.timeOver!) }));
    }
    for (const color of COLORS) this.sides[color].showClock(this.session.left(color));
  }

  // What is shown

  private showPass(view: GameView): void {
    const { turn } = this;
    const color = view.toMove;
    const person = this.session.seats[color].kind === "person";
    const pass = (): void => {
      if (turn === this.turn) this.play("pa");
    };
    this.showBanner(person ? t("mustPassYou") : t("mustPassOther", { color: t(color) }), t(person ? "pass" : "ok"), pass);
    if (COLORS.every((side) => this.session.seats[side].kind === "agent")) setTimeout(pass, PASS_SHOWN);
  }

  /** Shows a message on the board until it is clicked away. */
  private announce(message: string): void {
    this.message = message;
    this.update();
  }

  private showBanner(text: string, label: string, click: () => void): void {
    const button = el("button", { type: "button", class: "primary", click }, label);
    this.banner.replaceChildren(el("p", {}, text), button);
    this.banner.hidden = false;
    button.focus({ preventScroll: true });
  }

  private hideBanner(): void {
    const focused = this.banner.contains(document.activeElement);
    this.banner.hidden = true;
    if (focused) this.board.element.querySelector<HTMLElement>("[tabindex='0']")?.focus({ preventScroll: true });
  }

  /** Speaks the plies that were not spoken yet. */
  private say(): void {
    const { plies } = this.session.view();
    for (const ply of plies.slice(this.spoken)) this.spokenElement.append(el("span", {}, `${this.sentence(ply)} `));
    this.spoken = plies.length;
    while (this.spokenElement.childElementCount > 6) this.spokenElement.firstElementChild?.remove();
  }

  private sentence(ply: Ply): string {
    const color = t(ply.player);
    if (ply.name === "pass") return t("passed", { color });
    const handed = ply.handedOver ? ` ${t("handsOver", { from: t(other(ply.player)), to: color })}` : "";
    return t("played", { color, square: ply.name, n: ply.flips.length }) + handed;
  }

  private nameOf(color: Color): string {
    const { seats } = this.session;
    const seat = seats[color];
    if (seat.kind === "agent") return `${t("agent")} · ${t(seat.level)}`;
    return seats[other(color)].kind === "agent" ? t("you") : t(color);
  }

  private render(): void {
    const { session, draft } = this;
    const view = session.view();
    const bottom = session.bottom();
    this.showFrame(view, bottom);
    const shown = this.settings.analysis && !draft;
    const current = this.thought?.position === view.position ? this.thought : null;
    const own: ReadonlyMap<number, Hint> = shown && current && !this.thinking ? hints(current, view.size) : new Map();
    this.board.show({
      view,
      active: draft !== null || this.mayPlay(),
      showLegal: this.settings.showLegal,
      hints: own,
      squares: draft?.squares.join(""),
    });
    for (const color of COLORS) {
      const index = COLORS.indexOf(color);
      this.sides[color].show({
        name: this.nameOf(color),
        toMove: !session.isOver() && (draft?.toMove ?? view.toMove) === color,
        thinking: this.thinking === color,
        discs: draft ? draft.squares.filter((square) => square === (index === 0 ? "X" : "O")).length : view.discs[index],
        supply: view.supplies[index],
        places: view.size ** 2 / 2,
        left: session.left(color),
      });
    }
    this.showState(view);
    this.showButtons(view);
    const verdictNow = this.verdicts.get(view.position);
    this.panel.classList.toggle("analysing", shown);
    this.bar.show(shown ? verdictNow : undefined, bottom);
    const all = session.viewAt(session.moves().length);
    const positions = all.plies.map((_, ply) => ply).concat(all.plies.length);
    const verdicts = shown ? positions.map((ply) => this.verdicts.get(ply === session.cursor ? view.position : this.positionAt(ply))) : [];
    this.moves.show(all.plies, session.cursor, verdicts);
    if (shown) this.graph.show(verdicts, session.cursor, view.size ** 2);
    setText(this.analysisLabel, t("analysis"));
    note(this.analysisNote, current, shown ? verdictNow : undefined);
  }

  private positions: { key: string; list: string[] } = { key: "", list: [] };

  private positionAt(ply: number): string {
    const key = this.session.start + this.session.moves().join("");
    if (this.positions.key !== key) {
      const list = Array.from({ length: this.session.moves().length + 1 }, (_, at) => this.session.viewAt(at).position);
      this.positions = { key, list };
    }
    return this.positions.list[ply];
  }

  private showFrame(view: GameView, bottom: Color): void {
    this.top.replaceChildren(this.sides[other(bottom)].element);
    this.bottom.replaceChildren(this.sides[bottom].element);
    this.element.classList.toggle("coordinates", this.settings.showCoordinates);
    this.element.style.setProperty("--size", String(view.size));
    setText(this.tagline, t("tagline"));
    if (this.columns.childElementCount !== view.size) {
      const labels = Array.from({ length: view.size }, (_, index) => index);
      this.columns.replaceChildren(...labels.map((index) => el("span", {}, String.fromCharCode(97 + index))));
      this.rows.replaceChildren(...labels.map((index) => el("span", {}, String(index + 1))));
    }
  }

  private showState(view: GameView): void {
    const { session } = this;
    setText(this.status, this.draft ? t("setUpHint") : this.stateText(view));
    const over = session.isOver() && !this.draft;
    const area = view.size ** 2;
    const [black, white] = [(area + view.tournament) / 2, (area - view.tournament) / 2];
    const [a, b] = view.discs;
    const plain = a === black && b === white;
    const text = plain ? t("scoreOne", { a, b }) : t("scoreBoth", { a, b, c: black, d: white });
    const last = view.plies.at(-1);
    const handed = last?.handedOver ? t("handsOver", { from: t(other(last.player)), to: t(last.player) }) : "";
    setText(this.score, over && view.over ? text : handed);
  }

  private stateText(view: GameView): string {
    const { session } = this;
    const total = session.moves().length;
    const winner = session.winner();
    if (winner) {
      if (winner === "draw") return t("draw");
      const people = COLORS.filter((color) => session.seats[color].kind === "person");
      if (people.length !== 1) return t("wins", { color: t(winner) });
      return winner === people[0] ? t("youWin") : t("youLose", { name: this.nameOf(winner) });
    }
    if (!session.isLatest()) return t("lookingBack", { n: session.cursor, total });
    const seat = session.seats[view.toMove];
    if (view.mustPass) return t("mustPass", { color: t(view.toMove) });
    if (seat.kind === "agent") return t("thinking", { name: t("agent") });
    const alone = session.seats[other(view.toMove)].kind === "agent";
    return alone ? t("yourTurn") : t("toMove", { color: t(view.toMove) });
  }

  private shownButtons = "";

  private showButtons(view: GameView): void {
    const { session, draft } = this;
    const agentNext = session.seats[view.toMove].kind === "agent";
    const state = {
      draft: draft?.toMove,
      takeBack: session.mayTakeBack() !== null,
      undo: session.cursor > 0,
      redo: !session.isLatest(),
      stop: this.thinking !== null && this.thought !== null && this.thought.seconds > STOP_AFTER && !this.thought.done,
      playOn: !session.isLatest() && (agentNext || view.mustPass),
      language: this.settings.language,
    };
    // Buttons that are replaced lose the focus, so they are only where something has changed.
    const key = JSON.stringify(state);
    if (key === this.shownButtons) return;
    this.shownButtons = key;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.action;
    const action = (name: string, label: string, click: () => void, more: Record<string, string | boolean> = {}, path?: string): HTMLElement =>
      el("button", { type: "button", "data-action": name, click, ...more }, path ? icon(path) : null, el("span", {}, label));
    this.buttons.replaceChildren(...(draft ? this.setUpButtons(action) : [
      action("new", t("newGame"), () => this.newGame(), { class: "primary" }, ICONS.add),
      state.playOn
        ? action("play-on", t("playOn"), () => {
            this.session.playOn();
            this.update();
          })
        : action("take-back", t("takeBack"), () => this.takeBack(), { title: t("takeBackHint"), disabled: !state.takeBack }, ICONS.back),
      action("undo", t("undo"), () => this.walk(this.session.undoTarget()), { disabled: !state.undo }, ICONS.undo),
      state.stop
        ? action("stop", t("stop"), () => this.moveNow())
        : action("redo", t("redo"), () => this.walk(this.session.redoTarget()), { disabled: !state.redo }, ICONS.redo),
      el(
        "div",
        { class: "minor" },
        action("swap", t("swap"), () => {
          this.session.swapSides();
          this.update();
        }),
        action("set-up", t("setUp"), () => this.setUp()),
        action("copy", t("share"), () => this.share()),
        action("paste", t("paste"), () => dialogs.paste((text) => this.load(text))),
        action("settings", t("settings"), () => dialogs.settings(this.settings, this.engine?.models ?? new Map(), (next) => this.change(next))),
      ),
    ]));
    const step = (name: string, label: string, path: string, to: () => number, disabled: boolean): HTMLElement =>
      el("button", { type: "button", "data-action": name, "aria-label": label, title: label, disabled, click: () => this.walk(to()) }, icon(path));
    this.walkers.replaceChildren(
      step("first", t("first"), ICONS.first, () => 0, !state.undo),
      step("previous", t("undo"), ICONS.previous, () => this.session.cursor - 1, !state.undo),
      step("next", t("redo"), ICONS.next, () => this.session.cursor + 1, !state.redo),
      step("last", t("last"), ICONS.last, () => this.session.moves().length, !state.redo),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[data-action="${focused}"]:not(:disabled)`)?.focus({ preventScroll: true });
  }

  private setUpButtons(action: (name: string, label: string, click: () => void, more?: Record<string, string>) => HTMLElement): HTMLElement[] {
    const draft = this.draft!;
    const size = this.session.view().size;
    const set = (text: string): void => {
      draft.squares = [...text];
      this.render();
    };
    const turn = (color: Color): HTMLElement =>
      action(`to-move-${color}`, t("toMove", { color: t(color) }), () => {
        draft.toMove = color;
        this.render();
      }, draft.toMove === color ? { "aria-pressed": "true" } : { "aria-pressed": "false" });
    return [
      action("done", t("done"), () => this.finishSetUp(), { class: "primary" }),
      action("cancel", t("cancel"), () => {
        this.draft = null;
        this.update();
      }),
      turn("black"),
      turn("white"),
      el(
        "div",
        { class: "minor" },
        action("clear", t("clear"), () => set("-".repeat(size ** 2))),
        action("reset", t("reset"), () => set(rules.opening(size).slice(0, size ** 2))),
      ),
    ];
  }

  private takeBack(): void {
    this.session.takeBack();
    this.spoken = this.session.cursor;
    this.update();
  }
}
