// Whoever thinks: a worker of this page, or later a server. The page knows this interface only.

import type { ModelDescription, Task, Thought } from "./types";

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

/** One worker with one model. */
class ModelWorker {
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

/** The models of the folder that the page lies in, each in a worker of its own. */
export async function workers(module: WebAssembly.Module): Promise<Engine> {
  const listed: { file: string }[] = await (await get("models.json")).json();
  const models = new Map<number, ModelDescription>();
  const bySize = new Map<number, ModelWorker>();
  await Promise.all(
    listed.map(async ({ file }) => {
      const worker = new ModelWorker();
      const description = await worker.load(module, await (await get(file)).arrayBuffer());
      models.set(description.size, description);
      bySize.set(description.size, worker);
    }),
  );
  return {
    models,
    think: async (size, task, show) => (await bySize.get(size)?.think(task, show)) ?? null,
    stop: () => bySize.forEach((worker) => worker.stop()),
  };
}

export async function get(file: string): Promise<Response> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return response;
}
