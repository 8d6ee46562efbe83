// The entry of a provider's process: listens, says where, counts what arrives, and ends with the bench.

import { startAnswerer } from './answerer.ts';
import { type KeptPost, kinds, machineMicros, type Question, type Word } from './protocol.ts';
import { startTelegram } from './sandbox.ts';

const starts = { answerer: startAnswerer, sandbox: startTelegram };

const kind = kinds.find((each) => each === process.argv[2]);
if (kind === undefined) throw new Error(`not a provider: ${process.argv[2]}`);

let posts = 0;
let bytes = 0;
let isWatched = false;
let kept: KeptPost[] | undefined;

const url = await starts[kind]((body) => {
  const at = machineMicros();
  posts += 1;
  bytes += Buffer.byteLength(body);
  kept?.push({ body, at });
  if (!isWatched) return;
  isWatched = false;
  say({ word: 'arrived', body, at });
});

process.on('message', (question: Question) => {
  if (question === 'watch') isWatched = true;
  else if (question === 'keep') kept = [];
  else if (question === 'tell') say({ word: 'kept', posts: kept ?? [] });
  else say({ word: 'counted', posts, bytes });
});
process.on('disconnect', () => process.exit());
say({ word: 'listening', url });

function say(word: Word): void {
  process.send?.(word);
}
