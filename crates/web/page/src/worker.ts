// Thinks beside the page, in steps short enough to hear it in between.

import { Engine, initSync } from "../pkg/outflank_web.js";
import type { Reply, Request } from "./engine";
import type { Task, Thought } from "./types";

const STEP_MILLISECONDS = 30;
const SHOW_EVERY_MILLISECONDS = 120;
const SOLVER_TABLE_MEGABYTES = 32;

const scope = self as unknown as {
  postMessage(reply: Reply): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
};

let engine: Engine | undefined;
/** The task that is being thought about; 0 for none. */
let current = 0;

scope.onmessage = ({ data }) => {
  if (data.kind === "stop") current = 0;
  else if (data.kind === "think") void think(data.id, data.task);
  else {
    initSync({ module: data.module });
    try {
      engine = new Engine(new Uint8Array(data.model), SOLVER_TABLE_MEGABYTES);
      scope.postMessage({ kind: "loaded", description: JSON.parse(engine.describe()) });
    } catch (error) {
      scope.postMessage({ kind: "failed", id: 0, message: String(error) });
    }
  }
};

async function think(id: number, task: Task): Promise<void> {
  if (!engine) return;
  current = id;
  try {
    engine.begin(JSON.stringify(task));
    let shown = 0;
    while (current === id) {
      const thought: Thought = JSON.parse(engine.step(STEP_MILLISECONDS));
      const now = performance.now();
      if (thought.done || now - shown >= SHOW_EVERY_MILLISECONDS) {
        shown = now;
        scope.postMessage({ kind: "thought", id, thought });
      }
      if (thought.done) return;
      await breath();
    }
  } catch (error) {
    scope.postMessage({ kind: "failed", id, message: String(error) });
  }
}

// Timers wait four milliseconds once they follow each other; messages do not.
const channel = new MessageChannel();
const breath = (): Promise<void> =>
  new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(0);
  });
