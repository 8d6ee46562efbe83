// Questions as customers write them, each with the scenario that should answer it, and how often it does.

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfiguration } from '../../../src/cli/apply/read-configuration.ts';
import { applyWorkspace } from '../../../src/db/apply.ts';
import { decideBotTurn } from '../../../src/db/bot.ts';
import type { Queryable } from '../../../src/db/pool.ts';

export const scenarios = ['delivery', 'payment', 'returns', 'warranty', 'contacts'] as const;

const Question = z.strictObject({
  text: z.string(),
  /** none: no scenario should answer. */
  intent: z.enum([...scenarios, 'none']),
});

export type Question = z.output<typeof Question>;

/**
 * - open: written beside the rules, or kept once; the rules were changed until they answered most of them.
 * - kept: written by somebody who had not seen the rules. Who wrote the rules saw figures about them, and no question.
 */
export type Corpus = 'open' | 'kept';

export async function questionsOf(corpus: Corpus): Promise<Question[]> {
  const file = new URL(`../../bot/questions/${corpus}.yaml`, import.meta.url);
  return z.array(Question).parse(parse(await readFile(file, 'utf8')));
}

/** Applies presets/shop-bot.yaml. Answers with its workspace. */
export async function applyShopBot(client: Queryable): Promise<string> {
  const name = 'presets/shop-bot.yaml';
  const text = await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
  const secrets = { MAX_BOT_SECRET: 'shop-bot-secret', MAX_TOKEN: 'token' };
  const [shop] = await readConfiguration(name, text, secrets);
  if (shop === undefined) throw new Error(`${name} is empty`);
  await applyWorkspace(client, { document: shop.document, prune: false, dryRun: false });
  return shop.workspaceId;
}

export interface Asked extends Question {
  /** The scenario that answers; none: no rule, or one that is of no scenario, such as a greeting. */
  readonly answered: string;
  readonly why: string;
  /**
   * - right: the scenario that should answer does.
   * - missed: a scenario should answer, and the bot asks what is meant.
   * - wrong: a scenario answers that should not.
   */
  readonly verdict: 'right' | 'missed' | 'wrong';
}

/** Asks each question in a chat of its own. */
export async function askAll(
  client: Queryable,
  workspaceId: string,
  questions: readonly Question[],
): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const question of questions) {
    const input = { kind: 'message' as const, text: question.text };
    const { intent, why } = await decideBotTurn(client, { workspaceId, input });
    const answered = scenarios.find((each) => each === intent) ?? 'none';
    asked.push({ ...question, answered, why, verdict: verdictOf(question.intent, answered) });
  }
  return asked;
}

function verdictOf(wanted: string, answered: string): Asked['verdict'] {
  if (answered === wanted) return 'right';
  return answered === 'none' ? 'missed' : 'wrong';
}

/** Which share of the questions has the verdict. */
export function share(asked: readonly Asked[], verdict: Asked['verdict']): number {
  return asked.filter((each) => each.verdict === verdict).length / asked.length;
}
