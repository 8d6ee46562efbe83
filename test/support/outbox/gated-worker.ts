// A process that goes on only when it is told to, and can be killed wherever it stands.

/** The end of a process that was killed: nothing of it goes on after it. */
class Killed extends Error {}

export class GatedWorker {
  isFrozen = false;
  isKilled = false;
  isOver = false;
  #go: PromiseWithResolvers<void> | undefined;
  #arrived = Promise.withResolvers<void>();

  /** Called by the process: it waits here until it is told to go on. */
  async gate(): Promise<void> {
    if (this.isKilled) throw new Killed();
    this.#go = Promise.withResolvers<void>();
    this.#arrived.resolve();
    await this.#go.promise;
  }

  /** Starts it, and returns when it stands at its first gate. */
  async run(work: () => Promise<void>): Promise<void> {
    const end = (): void => {
      this.isOver = true;
      this.#arrived.resolve();
    };
    work().then(end, end);
    await this.#arrived.promise;
  }

  /** Lets it go on to its next gate, or to its end. */
  async step(): Promise<void> {
    await this.#leaveGate((gate) => gate.resolve());
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    await this.#leaveGate((gate) => gate.reject(new Killed()));
  }

  async #leaveGate(leave: (gate: PromiseWithResolvers<void>) => void): Promise<void> {
    const gate = this.#go;
    if (gate === undefined || this.isOver) return;
    this.#go = undefined;
    this.#arrived = Promise.withResolvers<void>();
    leave(gate);
    await this.#arrived.promise;
  }
}
