// The updates that a bot has not received yet, and getUpdates.

import type { Clock } from '../clock.ts';
import { isList } from './json.ts';
import type { Parameters } from './parameters.ts';
import { Refusal } from './refusals.ts';

export interface Update {
  readonly id: number;
  readonly type: string;
  /** `{"update_id":…}` as it goes out. */
  readonly body: object;
  /** Updates of the same lane are delivered in their order. */
  readonly lane: string;
  readonly expires: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Only bots that ask for these get them. */
const unasked = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** A queue that tells one listener when something is added. */
export class UpdateQueue {
  readonly #clock: Clock;
  #nextId: number;
  #waiting: Update[] = [];
  #poll:
    | { readonly end: (updates: Update[]) => void; readonly fail: (why: Refusal) => void }
    | undefined;
  allowed: readonly string[] | undefined;
  /** Called after each addition. */
  onAdd: () => void = () => undefined;

  constructor(clock: Clock, firstId: number) {
    this.#clock = clock;
    this.#nextId = firstId;
  }

  add(type: string, content: object, lane: string, lifeMs = dayMs): void {
    const wanted = this.allowed?.includes(type) ?? !unasked.includes(type);
    if (!wanted) return;
    const id = this.#nextId;
    this.#nextId += 1;
    const body = { update_id: id, [type]: content };
    this.#waiting.push({ id, type, body, lane, expires: this.#clock.now() + lifeMs });
    this.#poll?.end(this.pending());
    this.onAdd();
  }

  /** Updates that have not expired, oldest first. */
  pending(): Update[] {
    const now = this.#clock.now();
    this.#waiting = this.#waiting.filter((update) => update.expires > now);
    return this.#waiting;
  }

  remove(id: number): void {
    this.#waiting = this.#waiting.filter((update) => update.id !== id);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Remembers which types the bot asked for. An empty list restores the default. */
  choose(parameters: Parameters): void {
    const types = parseTypes(parameters.text('allowed_updates'));
    if (types !== undefined) this.allowed = types.length === 0 ? undefined : types;
  }

  /** Ends a poll under way: only one may wait. */
  interrupt(why: string): void {
    this.#poll?.fail(new Refusal(409, `Conflict: ${why}`));
  }

  /** The updates from the offset on; waits for one when there is none. */
  async poll(parameters: Parameters): Promise<object[]> {
    this.interrupt(
      'terminated by other getUpdates request; make sure that only one bot instance is running',
    );
    this.choose(parameters);
    const limit = parameters.integer('limit', 100, [1, 100]);
    const timeout = parameters.integer('timeout', 0, [0, 50]);
    this.#confirm(parameters.integer('offset', 0));
    const ready = this.pending();
    const heard = ready.length > 0 || timeout === 0 ? ready : await this.#wait(timeout * 1000);
    return heard.slice(0, limit).map((update) => update.body);
  }

  /** A positive offset confirms the updates before it. A negative one keeps only that many at the end. */
  #confirm(offset: number): void {
    if (offset > 0) this.#waiting = this.#waiting.filter((update) => update.id >= offset);
    if (offset < 0) this.#waiting = this.pending().slice(offset);
  }

  #wait(ms: number): Promise<Update[]> {
    return new Promise((resolve, reject) => {
      const end = (updates: Update[]) => {
        this.#poll = undefined;
        cancel();
        resolve(updates);
      };
      const fail = (why: Refusal) => {
        this.#poll = undefined;
        cancel();
        reject(why);
      };
      const cancel = this.#clock.later(ms, () => end([]));
      this.#poll = { end, fail };
    });
  }
}

function parseTypes(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    if (!isList(list)) return undefined;
    return list.filter((type) => typeof type === 'string').map((type) => type.toLowerCase());
  } catch {
    return undefined;
  }
}
