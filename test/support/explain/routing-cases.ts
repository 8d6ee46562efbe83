// Why a post that came in has no delivery in a channel, and what happened to the post itself.

import { ingestPullChunk } from '../../../src/db/intake.ts';
import { disableChannels } from '../../../src/db/operate.ts';
import { eraseContact } from '../../../src/db/privacy.ts';
import { after, start } from '../database/seed.ts';
import { dog, order, type Question, type ReasonCase, type Stage, soon } from './stage.ts';

/** A post that the filter of the channel `news` keeps out; somebody asks by its source_ref. */
async function filtered(stage: Stage, filter: object, tags: readonly string[]): Promise<Question> {
  await stage.channel({ route_filter: filter });
  await stage.take({ ...dog, tags, source_ref: 'post-7' });
  return { search: 'post-7', channelId: 'news', now: soon };
}

export const routingCases: readonly ReasonCase[] = [
  {
    reason: 'not_routed_include_any',
    provoke: (stage) => filtered(stage, { include_any: ['cats', 'birds'] }, ['dogs']),
    because: 'The channel takes posts with one of the tags #cats, #birds, and this one has #dogs.',
    advice:
      'Give the post such a tag, or change `route_filter.include_any` of the channel; then hand it in again.',
    until: null,
  },
  {
    reason: 'not_routed_include_all',
    provoke: (stage) => filtered(stage, { include_all: ['dogs', 'lost'] }, ['dogs']),
    because: 'The channel takes posts with all of the tags #dogs, #lost, and this one lacks #lost.',
    advice:
      'Give the post what it lacks, or change `route_filter.include_all` of the channel; then hand it in again.',
    until: null,
  },
  {
    reason: 'not_routed_exclude',
    provoke: (stage) => filtered(stage, { exclude: ['ads', 'dogs'] }, ['dogs']),
    because: 'The channel takes no posts with the tag #dogs, and this one has it.',
    advice:
      'Take the tag away, or change `route_filter.exclude` of the channel; then hand the post in again.',
    until: null,
  },
  {
    reason: 'not_routed_text_only',
    provoke: async (stage) => {
      await stage.channel({ send_mode: 'text', settings: { on_media: 'leave_out' } });
      const blob_ref = await stage.sending.addPicture(stage.workspaceId, 'dog');
      const { messageId } = await stage.take({ media: [{ type: 'image', blob_ref }] });
      return { search: messageId, channelId: 'news', now: soon };
    },
    because: 'The channel takes text and leaves media out, and this post has nothing but media.',
    advice: 'Give the post a text, or change `send_mode` of the channel; then hand it in again.',
    until: null,
  },
  {
    reason: 'not_routed_disabled',
    provoke: async (stage) => {
      await stage.channel();
      const { workspaceId, database } = stage;
      await disableChannels(
        database.service,
        { workspaceId, channelIds: ['news'], ...order },
        start,
      );
      const { messageId } = await stage.take(dog, soon);
      return { search: messageId, channelId: 'news', now: after(2) };
    },
    because: 'The channel is disabled by ann: repairs, and takes no posts.',
    advice: 'Enable it (`outrider channels enable news --reason …`), then hand the post in again.',
    until: null,
  },
  {
    reason: 'channel_is_newer',
    provoke: async (stage) => {
      await stage.take();
      await stage.channel({ created_at: after(60) });
      return { search: dog.text, channelId: 'news', now: after(61) };
    },
    because: 'The channel was made at 2026-03-02 10:01:00 UTC, after the post came in.',
    advice: 'Hand the post in again: channels that have it already take it for a repeat.',
    until: null,
  },
  {
    reason: 'not_routed_then',
    provoke: async (stage) => {
      const question = await filtered(stage, { include_any: ['cats'] }, ['dogs']);
      await stage.database.admin.query(
        'update outrider.channels set route_filter = null where workspace_id = $1',
        [stage.workspaceId],
      );
      return question;
    },
    because:
      'The channel did not take the post when it came in; as it is configured now, it would.',
    advice: 'Hand the post in again: channels that have it already take it for a repeat.',
    until: null,
  },
  {
    reason: 'no_channels',
    provoke: async (stage) => {
      const { messageId } = await stage.take();
      return { search: messageId, now: soon };
    },
    because: 'Workspace city has no channels, so no post goes anywhere.',
    advice:
      'Write channels into its file, then `outrider apply <file>`, and hand the post in again.',
    until: null,
  },
  {
    reason: 'other_tags',
    provoke: async (stage) => {
      await stage.channel();
      await stage.take({ ...dog, tags: ['lost'] });
      await stage.take({ ...dog, tags: ['dogs', 'city'] }, after(60));
      return { search: 'ginger dog', now: after(61) };
    },
    because:
      'It came in again at 2026-03-02 10:01:00 UTC with the tags #city, #dogs; those that it came with first count: #lost.',
    advice: 'If it is another post, give it other words: posts are told apart by what they say.',
    until: null,
    beside: true,
  },
  {
    reason: 'media_left_out',
    provoke: async (stage) => {
      await stage.channel();
      await stage.source();
      const leftOut = [{ path: 'media[0].url', reason: 'it answers 404' }];
      const items = [{ itemRef: 'item-7', payload: dog, leftOut }];
      const chunk = { workspaceId: stage.workspaceId, sourceId: 'feed', items, cursorTo: null };
      await ingestPullChunk(stage.database.service, chunk, start);
      return { search: 'item-7', now: soon };
    },
    because: 'It came in without one of its media: media_left_out: media[0].url: it answers 404.',
    advice: 'Make sure that the file can be fetched, then hand the post in again with other words.',
    until: null,
    beside: true,
  },
  {
    reason: 'erased',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue({ text: 'Lost: a dog. Call +7 916 123-45-67' });
      const { workspaceId, database } = stage;
      const person = { workspaceId, contact: '+7 916 123-45-67', ...order };
      await eraseContact(database.service, person, soon);
      return { deliveryId, now: after(2) };
    },
    because:
      'A contact of a person was erased from it at 2026-03-02 10:00:01 UTC; the word "erased" stands in its place.',
    advice: 'Nothing is left to do. The same post, handed in again, goes out as it comes.',
    until: null,
    beside: true,
  },
  {
    reason: 'others_fit',
    provoke: async (stage) => {
      await stage.channel();
      await stage.take({ text: 'Lost: a ginger dog' });
      await stage.take({ text: 'Lost: a Ginger\ncat' }, soon);
      return { search: 'a ginger', now: after(2) };
    },
    because: '1 other post fits as well; this is the newest of those that fit best.',
    advice: 'Explain another one by its id: `<id>`.',
    until: null,
    beside: true,
  },
];
