// An imitated process that runs from gate to gate when the test says so, and can be killed at any gate.

/** Thrown in a process that was killed, so that nothing more of it runs. */
class Killed extends Error {}

export class GatedWorker {
  isFrozen = false;
  isKilled = false;
  isOver = false;
  #go: PromiseWithResolvers<void> | undefined;
  #arrived = Promise.withResolvers<void>();

  /** Called by the process. It waits here until the test lets it go on. */
  async gate(): Promise<void> {
    if (this.isKilled) throw new Killed();
    this.#go = Promise.withResolvers<void>();
    this.#arrived.resolve();
    await this.#go.promise;
  }

  /** Starts the process; returns when it is at its first gate or has ended. */
  async run(work: () => Promise<void>): Promise<void> {
    const end = (): void => {
      this.isOver = true;
      this.#arrived.resolve();
    };
    work().then(end, end);
    await this.#arrived.promise;
  }

  /** Lets the process run to its next gate, or to its end. */
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
