// Prints how well the rules of presets/shop-bot.yaml understand the questions of test/bot/questions.

import {
  type Asked,
  applyShopBot,
  askAll,
  type Corpus,
  questionsOf,
  scenarios,
  share,
} from '../test/support/bot/asked-questions.ts';
import { withMigratedDatabase } from './migrated-database.ts';

const corpora: readonly Corpus[] = ['open', 'kept'];
const named = corpora.filter((each) => process.argv.slice(2).includes(each));

await withMigratedDatabase(async (client) => {
  const workspaceId = await applyShopBot(client);
  for (const corpus of named.length === 0 ? corpora : named) {
    const asked = await askAll(client, workspaceId, await questionsOf(corpus));
    printTable(corpus, asked);
    // Who reads the kept questions can no longer write rules without knowing them.
    if (corpus === 'open') printFaults(asked);
  }
});

function printTable(corpus: Corpus, all: readonly Asked[]): void {
  console.log(`\n${corpus.padEnd(12)}questions   right  missed   wrong`);
  for (const intent of [...scenarios, 'none'] as const) {
    printRow(
      intent,
      all.filter((each) => each.intent === intent),
    );
  }
  printRow('all', all);
}

function printRow(title: string, asked: readonly Asked[]): void {
  const shares = (['right', 'missed', 'wrong'] as const).map((verdict) =>
    `${(100 * share(asked, verdict)).toFixed(1)} %`.padStart(8),
  );
  console.log(`${title.padEnd(12)}${String(asked.length).padStart(9)}${shares.join('')}`);
}

function printFaults(all: readonly Asked[]): void {
  for (const { verdict, intent, answered, text, why } of all) {
    if (verdict !== 'right')
      console.log(`${verdict}: "${text}" is ${intent}, not ${answered} (${why})`);
  }
}
