// What a command of the command line is.

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` shows. */
  readonly usage: string;
  /** Answers with the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Comes with the first Ctrl-C or SIGTERM. */
  readonly stopped: Promise<void>;
}

/** The command line says something that the command does not know. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
