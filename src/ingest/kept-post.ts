// What an observer is told of a post that was kept.

import type { Enqueued } from '../db/intake.ts';
import type { Answer } from '../http/answer.ts';
import { keptPost, unobserved } from '../observer.ts';
import type { IngestContext } from './context.ts';

/** Asks the database for something and notes when it was asked and when it had answered. */
export async function noted<Value>(
  { observer = unobserved }: Pick<IngestContext, 'observer'>,
  ask: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly askedAt: number; readonly keptAt: number }> {
  const askedAt = observer.now();
  const value = await ask();
  return { value, askedAt, keptAt: observer.now() };
}

/** The answer, with the post for who observes. A repeat that was dropped is not kept. */
export function withKept(
  { observer = unobserved }: Pick<IngestContext, 'observer'>,
  answer: Answer,
  workspaceId: string,
  enqueued: Enqueued,
  times: { readonly askedAt: number; readonly keptAt: number },
): Answer {
  if (!observer.isOn || enqueued.verdict !== 'accepted') return answer;
  return { ...answer, kept: keptPost(workspaceId, enqueued, times) };
}
