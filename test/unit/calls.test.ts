import { beforeEach, describe, expect, it } from 'vitest';
import { type Calls, createCalls } from '../../src/dispatch/calls.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';

interface Send {
  readonly name: string;
  readonly workspaceId: string;
  readonly patienceMs: number;
  readonly holds: () => boolean;
}

let clock: ManualClock;
let begun: string[];
let givenBack: string[];
let isOurs: boolean;

beforeEach(() => {
  clock = createManualClock();
  begun = [];
  givenBack = [];
  isOurs = true;
});

function open(most: number): Calls<Send> {
  return createCalls<Send>({
    most,
    clock,
    begin: ({ name }) => begun.push(name),
    giveBack: (sends) => givenBack.push(...sends.map(({ name }) => name)),
  });
}

/** Sends of a workspace, named by it and numbered. */
function enter(calls: Calls<Send>, workspaceId: string, count: number, patienceMs = 200): void {
  for (let n = 1; n <= count; n += 1)
    calls.enter({ name: `${workspaceId}${n}`, workspaceId, patienceMs, holds: () => isOurs });
}

describe('calls', () => {
  it('begin at once while there are places, and in their order when others end', () => {
    const calls = open(3);
    enter(calls, 'a', 4);
    expect(begun).toEqual(['a1', 'a2']);
    enter(calls, 'b', 1);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    calls.leave('a');
    calls.leave('a');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    expect(calls.inLine('a')).toBe(0);
  });

  it('leave a tenth of their places to other workspaces', () => {
    const calls = open(10);
    enter(calls, 'a', 100);
    expect(begun).toHaveLength(9);
    enter(calls, 'b', 1);
    expect(begun.at(-1)).toBe('b1');
  });

  it('are begun for workspaces by turns, however many each has in line', () => {
    const calls = open(3);
    enter(calls, 'a', 50);
    enter(calls, 'b', 3);
    enter(calls, 'c', 2);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    for (const each of ['a', 'a', 'b', 'a']) calls.leave(each);
    expect(begun.slice(3)).toEqual(['a3', 'b2', 'c1', 'a4']);
  });

  it('have room for those that are likely to begin in time, which is none while nobody ends', () => {
    const calls = open(3);
    expect(calls.room('a', 100, 0)).toBe(2);
    expect(calls.room('a', 100, 3)).toBe(0);
    enter(calls, 'a', 1);
    enter(calls, 'b', 2);
    expect(calls.room('a', 100, 0)).toBe(0);
    for (let n = 0; n < 20; n += 1) {
      calls.leave('b');
      enter(calls, 'b', 1);
    }
    expect(calls.room('a', 100, 0)).toBe(20);
    expect(calls.room('a', 1000, 0)).toBe(200);
    clock.advance(200);
    expect(calls.room('a', 1000, 0)).toBe(0);
  });

  it('have as much room for each workspace as its turns will be', () => {
    const calls = open(4);
    for (let n = 0; n < 20; n += 1) {
      enter(calls, 'a', 1);
      calls.leave('a');
    }
    enter(calls, 'b', 2);
    enter(calls, 'a', 7);
    expect(calls.inLine('a')).toBe(5);
    expect(calls.room('a', 100, 0)).toBe(15);
    expect(calls.room('b', 100, 0)).toBe(10);
  });

  it('have no room for a workspace with its whole share while only others end', () => {
    const calls = open(10);
    enter(calls, 'hung', 9);
    enter(calls, 'well', 1);
    for (let n = 0; n < 50; n += 1) {
      calls.leave('well');
      enter(calls, 'well', 1);
    }
    clock.advance(100);
    expect(calls.room('hung', 1000, 0)).toBe(0);
    calls.leave('hung');
    enter(calls, 'hung', 1);
    expect(calls.room('hung', 1000, 0)).toBe(10);
  });

  it('give back what was not begun in time, though nobody ends', () => {
    const calls = open(1);
    enter(calls, 'a', 2, 200);
    enter(calls, 'b', 1, 2000);
    clock.advance(199);
    expect(givenBack).toEqual([]);
    clock.advance(1);
    expect(givenBack).toEqual(['a2']);
    clock.advance(1800);
    expect(givenBack).toEqual(['a2', 'b1']);
    expect(clock.waiting()).toBe(0);
  });

  it('do not begin what is late when a place comes free', () => {
    const calls = open(1);
    enter(calls, 'a', 3, 200);
    clock.freeze(200);
    calls.leave('a');
    expect(begun).toEqual(['a1']);
    expect(givenBack).toEqual(['a2', 'a3']);
  });

  it('do not begin what is no longer ours', () => {
    const calls = open(1);
    enter(calls, 'a', 2);
    isOurs = false;
    calls.leave('a');
    expect(begun).toEqual(['a1']);
    expect(givenBack).toEqual(['a2']);
  });

  it('give back all that is in line when everything stops', () => {
    const calls = open(1);
    enter(calls, 'a', 3);
    calls.clear();
    calls.leave('a');
    expect(begun).toEqual(['a1']);
    expect(givenBack).toEqual(['a2', 'a3']);
    expect(clock.waiting()).toBe(0);
  });
});
