// Why a post never came in, as far as there is a record of it.

import { ingestPullChunk } from '../../../src/db/intake.ts';
import { failPull, pullNow } from '../../../src/db/pull.ts';
import { after, start } from '../database/seed.ts';
import { dog, order, type Question, type ReasonCase, type Stage, soon } from './stage.ts';

/** Somebody looks for a post that is not there. */
const missing: Question = { search: 'Lost: a green parrot', now: after(60) };

const correct =
  'Correct what the answer names, in the post or in its signature, and push it again.';

async function pulled(
  stage: Stage,
  payload: unknown,
  heldItem: string | null = null,
): Promise<Question> {
  await stage.source();
  const { workspaceId, database } = stage;
  const items = [{ itemRef: 'item-7', payload }];
  const chunk = { workspaceId, sourceId: 'feed', items, cursorTo: null, heldItem };
  await ingestPullChunk(database.service, { ...chunk, nextPullAt: after(300) }, start);
  return { search: heldItem ?? 'item-7', now: after(60) };
}

export const intakeCases: readonly ReasonCase[] = [
  {
    reason: 'never_came_in',
    provoke: async (stage) => {
      await stage.channel();
      await stage.take();
      return missing;
    },
    because:
      'Nothing that workspace city keeps fits: no id, no source_ref, no item of a source, no post with exactly this text, and none of its newest 2000 posts has these words.',
    advice:
      'See what the caller was answered: a push with a wrong secret gets 401 and leaves no record here. Or look for other words of it.',
    until: null,
  },
  {
    reason: 'intake_repeat',
    provoke: async (stage) => {
      await stage.channel();
      await stage.endpoint();
      await stage.push({ ...dog, source_ref: 'post-7' });
      await stage.push({ text: 'An edit of it', source_ref: 'post-7' }, after(60));
      return { search: 'post-7', now: after(61) };
    },
    because:
      'Endpoint push dropped it at 2026-03-02 10:01:00 UTC: it had taken the same source_ref at 2026-03-02 10:00:00 UTC already.',
    advice: 'Nothing has to be done for a repeat. Another post needs a source_ref of its own.',
    until: after(2 * 86_400),
    beside: true,
  },
  {
    reason: 'intake_repeated_body',
    provoke: async (stage) => {
      await stage.endpoint();
      for (const now of [start, soon, after(2)]) await stage.push(dog, now);
      return missing;
    },
    because:
      'Endpoint push dropped 2 requests within the last 24 h as repeats of what it took less than 10 s before; the latest at 2026-03-02 10:00:02 UTC.',
    advice:
      'Give each post a source_ref, so that repeats are told by it, or lower `hash_drop_window_sec` of the endpoint.',
    until: null,
    beside: true,
  },
  {
    reason: 'intake_too_fast',
    provoke: async (stage) => {
      await stage.endpoint({ ingress_rps: 1 });
      for (const text of ['one', 'two']) await stage.push({ text });
      return missing;
    },
    because:
      'Endpoint push refused 1 request within the last 24 h for coming faster than its `ingress_rps` of 1 allows; the latest at 2026-03-02 10:00:00 UTC.',
    advice:
      'Let the caller repeat them after the time that the answer names (`Retry-After`), or raise `ingress_rps` of the endpoint.',
    until: null,
    beside: true,
  },
  {
    reason: 'intake_too_large',
    provoke: async (stage) => {
      await stage.endpoint();
      await stage.push(dog, start, 300_000);
      return missing;
    },
    because:
      'Endpoint push refused 1 request within the last 24 h for being too large; the latest, at 2026-03-02 10:00:00 UTC, had 300000 bytes of 262144.',
    advice: 'Send media as links instead of texts, or raise `max_payload_bytes` of the endpoint.',
    until: null,
    beside: true,
  },
  {
    reason: 'intake_bad_post',
    provoke: async (stage) => {
      await stage.endpoint();
      await stage.push({ text: 7 });
      return missing;
    },
    because:
      'Endpoint push refused 1 request within the last 24 h; the latest, at 2026-03-02 10:00:00 UTC: text must be a string, not a number.',
    advice: correct,
    until: null,
    beside: true,
  },
  {
    reason: 'intake_workspace_disabled',
    provoke: async (stage) => {
      await stage.status('disabled');
      return missing;
    },
    because:
      'Workspace city is disabled, so its endpoints refuse every push and leave no record of it.',
    advice: 'Write `status: active` into its file, then `outrider apply <file>`, and push again.',
    until: null,
    beside: true,
  },
  {
    reason: 'intake_endpoint_disabled',
    provoke: async (stage) => {
      await stage.endpoint({ enabled: false });
      return missing;
    },
    because:
      'Endpoint push is disabled, so it answers every push as if its secret were wrong and leaves no record of it.',
    advice:
      'Write `enabled: true` for the endpoint into the file, then `outrider apply <file>`, and push again.',
    until: null,
    beside: true,
  },
  {
    reason: 'item_refused',
    provoke: (stage) => pulled(stage, { text: 7 }),
    because:
      'Item item-7 of source feed was refused at 2026-03-02 10:00:00 UTC: text must be a string, not a number.',
    advice: 'Correct it at the source, under a new name: an item is taken once.',
    until: null,
  },
  {
    reason: 'item_held',
    provoke: (stage) => pulled(stage, dog, 'item-8'),
    because:
      'Source feed stops before item item-8, because a medium of it cannot be fetched: 1 pull ended there so far.',
    advice: 'Bring the medium back. The fourth pull takes the item without it.',
    until: after(300),
  },
  {
    reason: 'source_failing',
    provoke: async (stage) => {
      await stage.source();
      const { workspaceId, database } = stage;
      const run = { workspaceId, sourceId: 'feed', runId: 'run', lease: '1 minute', ...order };
      const claimed = await pullNow(database.service, run, start);
      if (claimed === undefined) throw new Error('the source was not claimed');
      const failure = { ...claimed, error: 'it answers 503', retryAfter: null };
      await failPull(database.service, failure, start);
      return missing;
    },
    because: 'Source feed cannot be read since 2026-03-02 10:00:00 UTC: it answers 503.',
    advice: 'Mend what it says, and try it: `outrider sources test feed`.',
    beside: true,
  },
  {
    reason: 'source_idle',
    provoke: async (stage) => {
      await stage.source(false);
      return missing;
    },
    because: 'Source feed is read by nobody: it is disabled, or its config says `every: never`.',
    advice:
      'Enable it in the file and `outrider apply` it, or read it once: `outrider sources pull feed --reason …`.',
    until: null,
    beside: true,
  },
];
