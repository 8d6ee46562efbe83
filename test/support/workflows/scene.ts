// A run of a workflow that is imitated, and what it has to come to.

import type { Call } from './run.ts';
import type { Row } from './ways.ts';

/** A run: what it claims, what the gateway makes of each row, and how each row has to end. */
export interface Scene {
  readonly workflow: string;
  readonly trigger: string;
  /** What a claim gives, claim by claim. */
  readonly claim: (call: Call) => readonly Row[] | undefined;
  readonly ask: (route: string, row: Row) => object;
  readonly breaksOff?: string | undefined;
  readonly expected: readonly string[];
}

export const rowOf = (workspaceId: string, id: string) => ({
  workspace_id: workspaceId,
  claim_token: `token of ${workspaceId} ${id}`,
});

/** A claim that gives its rows the first time. */
export function once(name: string, rows: readonly Row[]): Scene['claim'] {
  const left = [rows];
  return (call) => (call.name === name ? (left.pop() ?? []) : undefined);
}

/** The answer of the one route that is asked. */
export function only(route: string, expected: string, answer: object): object {
  if (route !== expected) throw new Error(`${route} was asked in place of ${expected}`);
  return answer;
}
