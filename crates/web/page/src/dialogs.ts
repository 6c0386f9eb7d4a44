// The dialogs: a new game, copy, paste, settings. Each asks, and gives what was answered.

import { el, setText } from "./dom";
import { LEVELS, type Level, type Seat } from "./levels";
import type { Format } from "./rules";
import type { Settings } from "./settings";
import { LANGUAGES, REVIEWED, t } from "./words";
import type { Color, ModelDescription } from "./types";
import type { Key } from "../words/en";

/** Opens a dialog; `close` ends it. Escape and a click beside it end it too. */
function open(title: string, ...content: Node[]): HTMLDialogElement {
  const dialog = el(
    "dialog",
    { "aria-label": title },
    el(
      "header",
      {},
      el("h2", {}, title),
      el("button", { type: "button", class: "quiet close", "aria-label": t("close"), click: () => dialog.close() }, "×"),
    ),
    ...content,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A choice of a few, as a row of pills. */
function pills<T extends string>(label: string, choices: [T, string][], chosen: T, change: (value: T) => void): HTMLElement {
  const name = `choice-${label}`;
  return el(
    "fieldset",
    { class: "pills" },
    el("legend", {}, label),
    ...choices.map(([value, text]) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name, value, checked: value === chosen, change: () => change(value) }),
        el("span", {}, text),
      ),
    ),
  );
}

export interface NewGame {
  seats: Record<Color, Seat>;
  size: number;
  clock: number | null;
}

type Side = "black" | "white" | "both" | "watch";

const CLOCKS = [1, 3, 5, 10, 20];

/** Remembered from one game to the next. */
const last = { side: "black" as Side, size: 8, clock: null as number | null, seats: [agent("medium"), agent("medium")] };

function agent(level: Level): Seat {
  return { kind: "agent", level };
}

/** `models` is null as long as it is not known which there are. */
export function newGame(models: ReadonlyMap<number, ModelDescription> | null, start: (game: NewGame) => void): void {
  const warning = el("p", { class: "note" }, t("noModel"));
  const strengths = [strengthField(0), strengthField(1)];
  const refresh = (): void => {
    const known = models?.has(last.size) ?? true;
    warning.hidden = known || last.side === "both";
    const agents = last.side === "watch" ? 2 : last.side === "both" ? 0 : 1;
    strengths.forEach(({ element, label }, index) => {
      element.hidden = index >= agents;
      setText(label, t(agents === 2 ? (index === 0 ? "strengthBlack" : "strengthWhite") : "strength"));
    });
    begin.disabled = !known && last.side !== "both";
  };
  const sides: [Side, string][] = [
    ["black", t("black")],
    ["white", t("white")],
    ["both", t("both")],
    ["watch", t("watch")],
  ];
  const begin = el("button", { class: "primary", type: "submit" }, t("start"));
  const form = el(
    "form",
    {
      submit: (event: Event) => {
        event.preventDefault();
        dialog.close();
        const person: Seat = { kind: "person" };
        const [one, two] = last.seats;
        const seats: Record<Side, Record<Color, Seat>> = {
          black: { black: person, white: one },
          white: { black: one, white: person },
          both: { black: person, white: person },
          watch: { black: one, white: two },
        };
        start({ seats: seats[last.side], size: last.size, clock: last.clock });
      },
    },
    pills(t("iPlay"), sides, last.side, (side) => {
      last.side = side;
      refresh();
    }),
    ...strengths.map(({ element }) => element),
    pills(t("boardSize"), [8, 6, 4].map((size) => [String(size), `${size}×${size}`]), String(last.size), (size) => {
      last.size = Number(size);
      refresh();
    }),
    warning,
    selectField(
      t("clock"),
      [["", t("noClock")], ...CLOCKS.map((n): [string, string] => [String(60 * n), t("minutes", { n })])],
      String(last.clock ?? ""),
      (value) => {
        last.clock = value ? Number(value) : null;
      },
    ),
    el("footer", {}, begin),
  );
  const dialog = open(t("newGame"), form);
  refresh();
  begin.focus();
}

/** The choice of an agent's strength. */
function strengthField(index: number): { element: HTMLElement; label: HTMLElement } {
  const label = el("span");
  const custom = el("span", { class: "custom" });
  const seat = (): Extract<Seat, { kind: "agent" }> => last.seats[index] as Extract<Seat, { kind: "agent" }>;
  const number = (key: "simulations" | "seconds", most: number): HTMLElement => {
    const current = seat();
    const value = current.level === "custom" ? (current[key] ?? "") : "";
    return el(
      "label",
      {},
      el("span", {}, t(key)),
      el("input", {
        type: "number",
        min: key === "seconds" ? 0.1 : 1,
        max: most,
        step: "any",
        value,
        input: (event: Event) => {
          const typed = Number((event.target as HTMLInputElement).value);
          last.seats[index] = { ...seat(), level: "custom", [key]: typed > 0 ? typed : undefined };
        },
      }),
    );
  };
  const showCustom = (): void => {
    custom.replaceChildren(...(seat().level === "custom" ? [number("simulations", 300000), number("seconds", 600)] : []));
  };
  const choices: [string, string][] = [...LEVELS.map(({ key }): [string, string] => [key, t(key)]), ["custom", t("custom")]];
  const select = el(
    "select",
    {
      change: () => {
        const level = select.value as Level | "custom";
        last.seats[index] = level === "custom" ? { kind: "agent", level, simulations: 400 } : agent(level);
        showCustom();
      },
    },
    ...choices.map(([value, text]) => el("option", { value, selected: value === seat().level }, text)),
  );
  showCustom();
  return { element: el("div", { class: "field" }, el("label", {}, label, select), custom), label };
}

function selectField(label: string, choices: [string, string][], chosen: string, change: (value: string) => void): HTMLElement {
  const select = el(
    "select",
    { change: () => change(select.value) },
    ...choices.map(([value, text]) => el("option", { value, selected: value === chosen }, text)),
  );
  return el("div", { class: "field" }, el("label", {}, el("span", {}, label), select));
}

/** Shows the game in a format to copy. `write` may throw where a format cannot hold it. */
export function share(write: (format: Format | "link") => string): void {
  const names: [Format | "link", Key | string][] = [
    ["link", t("link")],
    ["transcript", t("transcript")],
    ["ggf", "GGF"],
    ["sgf", "SGF"],
    ["position", t("position")],
    ["obf", "OBF"],
  ];
  const text = el("textarea", { readonly: true, rows: 5, "aria-label": t("copyTitle") });
  const copy = el("button", { class: "primary", type: "button", click: () => void onCopy() }, t("copy"));
  const show = (format: Format | "link"): void => {
    setText(copy, t("copy"));
    try {
      text.value = write(format);
    } catch (error) {
      text.value = messageOf(error);
    }
  };
  const onCopy = async (): Promise<void> => {
    text.select();
    // Not there without a secure connection; the selection can be copied by hand.
    await navigator.clipboard?.writeText(text.value).catch(() => {});
    setText(copy, t("copied"));
  };
  open(t("copyTitle"), pills(t("format"), names as [Format, string][], "link" as Format, show), text, el("footer", {}, copy));
  show("link");
  copy.focus();
}

/** Asks for a text; `load` throws what is wrong with it. */
export function paste(load: (text: string) => void): void {
  const text = el("textarea", { rows: 6, placeholder: t("pasteHint"), "aria-label": t("pasteTitle"), spellcheck: "false" });
  const error = el("p", { class: "error", role: "alert" });
  const form = el(
    "form",
    {
      submit: (event: Event) => {
        event.preventDefault();
        try {
          load(text.value);
          dialog.close();
        } catch (problem) {
          setText(error, messageOf(problem));
        }
      },
    },
    text,
    error,
    el("footer", {}, el("button", { class: "primary", type: "submit" }, t("load"))),
  );
  const dialog = open(t("pasteTitle"), form);
  text.focus();
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function settings(current: Settings, models: ReadonlyMap<number, ModelDescription>, change: (settings: Settings) => void): void {
  const languages = Object.entries(LANGUAGES).map(([code, words]): [string, string] => [code, words.language ?? code]);
  const review = el("p", { class: "note" }, t("unreviewed"));
  const isReviewed = (): void => {
    review.hidden = REVIEWED.includes(current.language);
  };
  isReviewed();
  const check = (key: "showLegal" | "showCoordinates" | "pace"): HTMLElement => {
    const input = el("input", {
      type: "checkbox",
      checked: current[key],
      change: () => change(Object.assign(current, { [key]: input.checked })),
    });
    return el("label", { class: "check" }, input, el("span", {}, t(key)));
  };
  const themes = (["auto", "light", "dark"] as const).map((theme): [Settings["theme"], string] => [theme, t(theme)]);
  const about = [...models.values()].map((model) =>
    el("p", { class: "note" }, t(model.games > 0 ? "aboutGames" : "about", { network: model.network, games: model.games.toLocaleString("en") })),
  );
  const dialog = open(
    t("settings"),
    pills(t("theme"), themes, current.theme, (theme) => change(Object.assign(current, { theme }))),
    check("showLegal"),
    check("showCoordinates"),
    check("pace"),
    selectField(t("wordsIn"), languages, current.language, (language) => {
      change(Object.assign(current, { language }));
      dialog.close();
      settings(current, models, change);
    }),
    review,
    el("p", { class: "note" }, t("keys")),
    ...about,
  );
}
