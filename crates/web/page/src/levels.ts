// How strong an agent plays.

import type { Key } from "../words/en";
import type { Task } from "./types";

/** A person, an agent of some level, or one with a budget of its own. */
export type Seat =
  | { kind: "person" }
  | { kind: "agent"; level: Level }
  | { kind: "agent"; level: "custom"; simulations?: number; seconds?: number };

export type Level = (typeof LEVELS)[number]["key"];

interface Strength {
  key: Key;
  simulations: number;
  seconds?: number;
  solveEmpties: number;
  temperature: number;
}

const MOST_SIMULATIONS = 300_000;

export const LEVELS = [
  { key: "beginner", simulations: 0, solveEmpties: 0, temperature: 3 },
  { key: "easy", simulations: 0, solveEmpties: 0, temperature: 1.2 },
  { key: "medium", simulations: 16, solveEmpties: 0, temperature: 0.6 },
  { key: "strong", simulations: 100, solveEmpties: 10, temperature: 0.2 },
  { key: "expert", simulations: 1000, solveEmpties: 16, temperature: 0 },
  { key: "full", simulations: MOST_SIMULATIONS, seconds: 5, solveEmpties: 20, temperature: 0 },
] as const satisfies readonly Strength[];

/** Early moves vary a little at any strength but the full one, so that games differ. */
const OPENING_PLIES = 8;
const OPENING_TEMPERATURE = 0.3;

/** The share of the time left on the clock that one move may take. */
const CLOCK_SHARE = 1 / 20;

/** What an agent thinks about its move, with so many seconds left on its clock. */
export function taskOf(seat: Exclude<Seat, { kind: "person" }>, position: string, ply: number, left: number | null): Task {
  const strength: Strength =
    seat.level === "custom"
      ? {
          key: "custom",
          simulations: seat.seconds ? MOST_SIMULATIONS : (seat.simulations ?? 100),
          seconds: seat.seconds,
          solveEmpties: 16,
          temperature: 0,
        }
      : LEVELS.find(({ key }) => key === seat.level)!;
  const varies = ply < OPENING_PLIES && seat.level !== "full" && seat.level !== "custom";
  let { seconds } = strength;
  if (left !== null) seconds = Math.min(seconds ?? Infinity, Math.max(0.05, left * CLOCK_SHARE));
  // A clock alone does not change how a level plays, unless time is short.
  if (strength.seconds === undefined && seconds !== undefined && seconds > 2) seconds = undefined;
  return {
    position,
    aim: "play",
    simulations: strength.simulations,
    seconds,
    solveEmpties: strength.solveEmpties,
    temperature: Math.max(strength.temperature, varies ? OPENING_TEMPERATURE : 0),
    seed: crypto.getRandomValues(new Uint32Array(1))[0],
  };
}
