import { beforeAll, describe, expect, it } from 'vitest';
import {
  applyShopBot,
  askAll,
  type Corpus,
  questionsOf,
  share,
} from '../support/bot/asked-questions.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// The figures are shares of questions that a few people made up. How well a shop's customers are understood, only
// `outrider bot unmatched` can tell.

const { service } = await useDatabase();
let workspaceId: string;

beforeAll(async () => {
  workspaceId = await applyShopBot(service);
});

describe.each<[Corpus, number]>([
  ['open', 1541],
  ['kept', 150],
])('of the %s questions', (corpus, count) => {
  it('90 % or more are answered by the right scenario, and 3 % or less by a wrong one', async () => {
    const asked = await askAll(service, workspaceId, await questionsOf(corpus));
    expect(asked).toHaveLength(count);
    expect(share(asked, 'right')).toBeGreaterThanOrEqual(0.9);
    expect(share(asked, 'wrong')).toBeLessThanOrEqual(0.03);
  });
});
