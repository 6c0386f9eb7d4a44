// Whoever thinks: a worker of this page, or the server that it is from. The page knows the interface
// `Engine` only.

import type { ModelDescription, Task, Thought } from "./types";
import { t } from "./words";

export interface Engine {
  /** The models by the side of their board. */
  readonly models: ReadonlyMap<number, ModelDescription>;
  /**
   * Thinks about a task and shows what is found so far. A new task ends the one before, whose
   * promise then gives `null`.
   */
  think(size: number, task: Task, show: (thought: Thought) => void): Promise<Thought | null>;
  stop(): void;
}

/** To the worker. */
export type Request =
  | { kind: "load"; module: WebAssembly.Module; model: ArrayBuffer }
  | { kind: "think"; id: number; task: Task }
  | { kind: "stop" };

/** From the worker. */
export type Reply =
  | { kind: "loaded"; description: ModelDescription }
  | { kind: "thought"; id: number; thought: Thought }
  | { kind: "failed"; id: number; message: string };

/** One model, wherever it is. */
interface Thinker {
  think(task: Task, show: (thought: Thought) => void): Promise<Thought | null>;
  stop(): void;
}

/** One worker with one model. */
class WorkerThinker implements Thinker {
  private worker = new Worker("worker.js");
  private id = 0;
  private show: (thought: Thought) => void = () => {};
  private settle: ((thought: Thought | null) => void) | null = null;
  private fail: (error: Error) => void = () => {};

  load(module: WebAssembly.Module, model: ArrayBuffer): Promise<ModelDescription> {
    return new Promise((resolve, reject) => {
      this.fail = reject;
      this.worker.onerror = (event) => this.fail(new Error(event.message));
      this.worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.kind === "loaded") resolve(data.description);
        else this.hear(data);
      };
      this.send({ kind: "load", module, model }, [model]);
    });
  }

  private hear(reply: Exclude<Reply, { kind: "loaded" }>): void {
    if (reply.kind === "failed") return this.fail(new Error(reply.message));
    if (reply.id !== this.id) return;
    if (!reply.thought.done) return this.show(reply.thought);
    const settle = this.settle;
    this.settle = null;
    settle?.(reply.thought);
  }

  think(task: Task, show: (thought: Thought) => void): Promise<Thought | null> {
    this.stop();
    this.show = show;
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
      this.send({ kind: "think", id: this.id, task });
    });
  }

  stop(): void {
    this.id += 1;
    if (this.settle) this.send({ kind: "stop" });
    this.settle?.(null);
    this.settle = null;
  }

  private send(request: Request, transfer: Transferable[] = []): void {
    this.worker.postMessage(request, transfer);
  }
}

/** A model of the server, which answers with a line for each thought. */
class ServerThinker implements Thinker {
  private abort = new AbortController();

  constructor(private url: string) {}

  async think(task: Task, show: (thought: Thought) => void): Promise<Thought | null> {
    this.stop();
    const { signal } = (this.abort = new AbortController());
    try {
      const response = await fetch(this.url, { method: "POST", body: JSON.stringify(task), signal });
      if (!response.ok) throw new Error(await response.text());
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) throw new TypeError("the server stopped in the middle of a thought");
        const lines = (rest + value).split("\n");
        rest = lines.pop()!;
        for (const line of lines) {
          const thought: Thought = JSON.parse(line);
          if (thought.done) return thought;
          show(thought);
        }
      }
    } catch (error) {
      if (signal.aborted) return null;
      // What `fetch` and its stream throw when the server is gone.
      throw error instanceof TypeError ? new Error(t("serverGone")) : error;
    }
  }

  stop(): void {
    this.abort.abort();
  }
}

/** A model in the list `models.json`: a file for a worker, or where a server thinks. */
type Listed = { file: string } | { think: string; description: ModelDescription };

/** The models that are listed beside the page. */
export async function start(module: WebAssembly.Module): Promise<Engine> {
  const listed: Listed[] = await (await get("models.json")).json();
  const models = new Map<number, ModelDescription>();
  const thinkers = new Map<number, Thinker>();
  const add = (description: ModelDescription, thinker: Thinker): void => {
    models.set(description.size, description);
    thinkers.set(description.size, thinker);
  };
  await Promise.all(
    listed.map(async (model) => {
      if ("think" in model) return add(model.description, new ServerThinker(model.think));
      const worker = new WorkerThinker();
      add(await worker.load(module, await (await get(model.file)).arrayBuffer()), worker);
    }),
  );
  return {
    models,
    think: async (size, task, show) => (await thinkers.get(size)?.think(task, show)) ?? null,
    stop: () => thinkers.forEach((thinker) => thinker.stop()),
  };
}

export async function get(file: string): Promise<Response> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return response;
}
