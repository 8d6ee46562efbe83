// Learns the types of posts from the corpus, prints how well that carries over to posts it was not shown, and writes
// src/lost-pets/words/type-weights.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgedKinds, likeliest } from '../src/lost-pets/type-mix.ts';
import { learn, sumsOf } from './lost-pets/learn.ts';
import { bestMix, type Judged, mixed } from './lost-pets/mixing.ts';
import { openPosts, unseenPosts } from './lost-pets/posts.ts';
import { reportOf } from './lost-pets/report.ts';
import { tableOf } from './lost-pets/table.ts';

const folds = 6;
const open = openPosts();
const unseen = unseenPosts();
const foldOf = (n: number): number => n % folds;

const judged: Judged[] = [];
for (let fold = 0; fold < folds; fold += 1) {
  const others = unseen.filter((_, n) => foldOf(n) !== fold);
  const learned = learn([...others, ...open]);
  for (const [n, post] of unseen.entries())
    if (foldOf(n) === fold) judged[n] = { post, sums: sumsOf(learned, post) };
}

// The mix for each fold is found on the other folds.
const both = judged.map((each, n) => {
  const mix = bestMix(judged.filter((_, other) => foldOf(other) !== foldOf(n)));
  return mixed(each, mix);
});
const types = unseen.map(({ type }) => type);
const byRules = unseen.map(({ rules }) => rules.kind);
const byFeatures = judged.map(({ sums }) => likeliest(sums));
console.log(`${unseen.length} posts, in ${folds} folds, each read with what the others teach`);
for (const [name, read] of Object.entries({ rules: byRules, features: byFeatures, both }))
  console.log(reportOf(name, types, read));

const mix = bestMix(judged);
const learned = learn([...unseen, ...open]);
const file = join(import.meta.dirname, '../src/lost-pets/words/type-weights.ts');
const table = tableOf(learned, mix, judgedKinds);
writeFileSync(file, table);
console.log(
  `${learned.features.size} features, ${Math.round(Buffer.byteLength(table) / 1_000)} kB`,
);
