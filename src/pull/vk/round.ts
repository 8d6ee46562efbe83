// One round over the walls of a source: which are still to be read, and which could not be. It stands in the cursor, so a look
// goes on with the next walls wherever it runs. Another pull begins a round of its own, where the last one ended.

import { z } from 'zod';
import type { Cursor, Look } from '../source.ts';
import { SourceError } from '../source-error.ts';
import type { WallFault } from './call.ts';
import type { Wall } from './owner.ts';

const Kept = z.object({
  pull: z.string(),
  /** Where the round goes on, or the next one begins. */
  next: z.string(),
  left: z.int().min(0),
  failing: z.array(z.string()),
});

export type KeptRound = z.output<typeof Kept>;

export class Round {
  readonly #walls: readonly Wall[];
  readonly #pull: string | undefined;
  /** The walls of this round, in their order, without those that have failed in another process. */
  readonly #order: readonly Wall[];
  #unread: readonly Wall[];
  /** Where the next round begins. */
  #ends: string;
  readonly #faults = new Map<string, WallFault>();

  constructor(walls: readonly Wall[], { cursor, pull }: Pick<Look, 'cursor' | 'pull'>) {
    const kept = keptIn(cursor);
    const at = walls.findIndex(({ name }) => name === kept?.next);
    const all = at === -1 ? walls : [...walls.slice(at), ...walls.slice(0, at)];
    const goesOn = kept !== undefined && pull !== undefined && kept.pull === pull;
    const again = walls.filter(({ name }) => goesOn && kept.failing.includes(name));
    this.#walls = walls;
    this.#pull = pull;
    this.#order = goesOn ? all.slice(0, kept.left) : all;
    this.#ends = all[0]?.name ?? '';
    const order = new Set(this.#order);
    this.#unread = [...this.#order, ...again.filter((wall) => !order.has(wall))];
  }

  get next(): Wall | undefined {
    return this.#unread[0];
  }

  /** The next wall was read. */
  pass(): void {
    this.#unread = this.#unread.slice(1);
  }

  /** The next wall could not be read. */
  fail(fault: WallFault): void {
    const [wall, ...others] = this.#unread;
    if (wall === undefined) return;
    this.#faults.set(wall.name, fault);
    this.#unread = fault.isOfWall ? others : [];
    // A wall that keeps VK from answering comes last the next time.
    const behind = this.#walls[(this.#walls.indexOf(wall) + 1) % this.#walls.length];
    if (!fault.isOfWall) this.#ends = (fault.isAway === true ? behind : wall)?.name ?? wall.name;
  }

  get hasFailed(): boolean {
    return this.#faults.size > 0;
  }

  /** For the cursor; undefined when all walls were read. */
  kept(isWaiting: (wall: Wall) => boolean): KeptRound | undefined {
    const unread = new Set(this.#unread);
    const place = this.#order.findIndex((wall) => unread.has(wall) || isWaiting(wall));
    const left = place === -1 ? 0 : this.#order.length - place;
    const failing = new Set([
      ...this.#faults.keys(),
      ...this.#unread.filter((wall) => !this.#order.includes(wall)).map(({ name }) => name),
    ]);
    if (left === 0 && failing.size === 0) return undefined;
    const next = this.#order[place]?.name ?? this.#ends;
    return { pull: this.#pull ?? '', next, left, failing: [...failing] };
  }

  /** What concerns all walls is named, and the longest wait counts. */
  fault(): SourceError {
    const all = [...this.#faults.values()];
    const ofWalls = all.filter(({ isOfWall }) => isOfWall);
    const main = all.find(({ isOfWall }) => !isOfWall) ?? ofWalls[0];
    if (main === undefined) return new SourceError('VK cannot be read');
    const count = `${ofWalls.length} of ${this.#walls.length} walls`;
    const besides = ofWalls.length > 0 ? `; besides, ${count} cannot be read` : '';
    const more = main.isOfWall ? (ofWalls.length > 1 ? ` (${count})` : '') : besides;
    const waits = all.flatMap(({ error }) => error.retryAfterMs ?? []);
    const { message, hint } = main.error;
    return new SourceError(`${message}${more}`, {
      ...(hint === undefined ? {} : { hint }),
      ...(waits.length === 0 ? {} : { retryAfterMs: Math.max(...waits) }),
    });
  }
}

export function keptIn(cursor: Cursor): KeptRound | undefined {
  return Kept.safeParse(cursor['round']).data;
}
