// What the player likes, kept in the browser.

export interface Settings {
  language: string;
  theme: "auto" | "light" | "dark";
  showLegal: boolean;
  showCoordinates: boolean;
  /** Whether the agent waits a moment before it moves. */
  pace: boolean;
  analysis: boolean;
}

const KEY = "outflank.settings";

const DEFAULTS: Settings = {
  language: "en",
  theme: "auto",
  showLegal: true,
  showCoordinates: true,
  pace: true,
  analysis: false,
};

export function load(): Settings {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export function save(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Private windows may refuse.
  }
}
