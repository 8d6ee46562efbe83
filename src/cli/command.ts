// What a command of the command line is, and the terminal that it speaks to.

export interface Command {
  /** What `--help` shows. */
  readonly usage: string;
  /** Returns the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export interface Terminal {
  out(line: string): void;
  /** Bytes as they are, for a program that reads them. */
  bytes(bytes: Uint8Array): void;
  err(line: string): void;
  /**
   * For a person who waits at a terminal; shown nowhere else. A passing line stays until something else is shown. An
   * empty one removes it.
   */
  progress(line: string, passing?: 'passing'): void;
  /** Shows these lines in place of all that was on the screen. */
  redraw(lines: readonly string[]): void;
  /** Whether a person reads `out`: colours are for people only, and so are tables unless they are asked for. */
  readonly isTty: boolean;
  /** Resolves at the first Ctrl-C, SIGTERM or SIGHUP after it was read. They end a command that never reads it. */
  readonly stopped: Promise<void>;
  /** All of standard input. */
  input(): Promise<string>;
  /** Whether a person is there to answer. */
  readonly canAsk: boolean;
  /** Asks that person, and waits for one line. */
  ask(question: string): Promise<string>;
}

/** The command line is wrong: it has something that the command does not know, or lacks something. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Ctrl-C, SIGTERM or SIGHUP came before the command was done. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** A person was asked whether to go on, and did not want to. */
export class Declined extends Error {
  constructor() {
    super('nothing was changed');
    this.name = 'Declined';
  }
}

/** `differs`: a comparison was made, and what was compared is not the same. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, differs: 3 } as const;

/** Exit codes of a command that a signal has interrupted, as shells count them: 128 and the signal's number. */
export const interruptedBy = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
