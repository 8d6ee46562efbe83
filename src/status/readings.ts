// Readings that all viewers share. However many look at a workspace, it is read once at a time, and at intervals that grow with what
// a reading costs.
//
//   nobody looks → nothing is read
//   a page is asked for → the last reading, if it is a second old at most; else a new one
//   somebody follows → a reading every three seconds, or after nine times as long as the last one took
//   the database is away → the last reading, with the trouble

import type { Clock } from '../clock.ts';
import { DatabaseAwayError, DatabaseBusyError, NotFoundError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Seen } from './pages/overview.ts';
import type { Trouble } from './pages/verdict.ts';
import type { Asked, Reading } from './reading.ts';

export interface ReadingsOptions {
  readonly read: (asked: Asked) => Promise<Reading>;
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs?: number | undefined;
}

export interface Readings {
  /** Throws when there is nothing to show: the workspace is not there, or the database was never reached. */
  latest(asked: Asked): Promise<Seen>;
  /** Calls for every new reading until the returned function is called. */
  follow(asked: Asked, onSeen: (seen: Seen) => void): () => void;
  stop(): void;
}

const freshMs = 1000;
const usualMs = 3000;
/** So that the page takes a tenth of one connection at most. */
const restFactor = 9;
/** Readings that nobody follows are kept for the moment when the database is away. */
const mostKept = 50;

interface Subject {
  readonly asked: Asked;
  readonly followers: Set<(seen: Seen) => void>;
  seen: Seen | undefined;
  readAt: number;
  tookMs: number;
  underWay: Promise<Seen> | undefined;
  callOff: (() => void) | undefined;
}

export function createReadings({ read, clock, log, everyMs = usualMs }: ReadingsOptions): Readings {
  const subjects = new Map<string, Subject>();
  let isStopped = false;

  function subjectOf(asked: Asked): Subject {
    const key = JSON.stringify([asked.workspaceId, asked.span.key]);
    const known = subjects.get(key);
    if (known !== undefined) return known;
    const made: Subject = {
      asked,
      followers: new Set(),
      seen: undefined,
      readAt: Number.NEGATIVE_INFINITY,
      tookMs: 0,
      underWay: undefined,
      callOff: undefined,
    };
    subjects.set(key, made);
    forgetOthers();
    return made;
  }

  function forgetOthers(): void {
    for (const [key, { followers, underWay }] of subjects) {
      if (subjects.size <= mostKept) return;
      if (followers.size === 0 && underWay === undefined) subjects.delete(key);
    }
  }

  async function readOnce(subject: Subject): Promise<Seen> {
    const begun = clock.now();
    try {
      const reading = await read(subject.asked);
      subject.seen = { reading, trouble: undefined };
    } catch (error) {
      if (error instanceof NotFoundError) subject.seen = undefined;
      if (subject.seen === undefined) throw error;
      const { reading, trouble } = subject.seen;
      if (trouble === undefined) {
        log.warn('the status page cannot be brought up to date', { error: String(error) });
      }
      subject.seen = { reading, trouble: trouble ?? troubleOf(error) };
    } finally {
      subject.readAt = clock.now();
      subject.tookMs = subject.readAt - begun;
      subject.underWay = undefined;
    }
    return subject.seen;
  }

  async function latest(subject: Subject): Promise<Seen> {
    if (subject.underWay !== undefined) return subject.underWay;
    if (subject.seen !== undefined && clock.now() - subject.readAt <= freshMs) return subject.seen;
    subject.underWay = readOnce(subject);
    return subject.underWay;
  }

  function plan(subject: Subject): void {
    if (isStopped || subject.followers.size === 0 || subject.callOff !== undefined) return;
    subject.callOff = clock.after(Math.max(everyMs, restFactor * subject.tookMs), () => {
      subject.callOff = undefined;
      void goOn(subject);
    });
  }

  async function goOn(subject: Subject): Promise<void> {
    try {
      const seen = await latest(subject);
      for (const tell of subject.followers) tell(seen);
    } catch (error) {
      log.debug('nothing to show on the status page', { error: String(error) });
    }
    plan(subject);
  }

  return {
    latest: (asked) => latest(subjectOf(asked)),
    follow(asked, onSeen) {
      const subject = subjectOf(asked);
      subject.followers.add(onSeen);
      plan(subject);
      return () => {
        subject.followers.delete(onSeen);
        if (subject.followers.size > 0) return;
        subject.callOff?.();
        subject.callOff = undefined;
      };
    },
    stop() {
      isStopped = true;
      for (const { callOff } of subjects.values()) callOff?.();
      subjects.clear();
    },
  };
}

/** In words that tell nothing of our internals. */
function troubleOf(error: unknown): Trouble {
  const since = new Date();
  if (error instanceof DatabaseAwayError) return { words: 'The database does not answer.', since };
  if (error instanceof DatabaseBusyError)
    return { words: 'The database is too busy to answer.', since };
  return { words: 'What is going on cannot be read; the log says why.', since };
}
