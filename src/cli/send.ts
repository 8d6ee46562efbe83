import { wakeDispatchers } from '../db/dispatch.ts';
import { explainPost } from '../db/explain.ts';
import { listDeliveries } from '../db/inspect.ts';
import type { ChannelVerdict } from '../db/intake.ts';
import { type Accepted, enqueuePost, withCopiedMedia } from '../ingest/enqueue-post.ts';
import { createMediaFetcher } from '../media/media-fetcher.ts';
import { openStores } from '../roles/configured-stores.ts';
import { createSecrets } from '../secrets.ts';
import { askingOptions, askingUsage, inWorkspace, type Place } from './asking.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { readOptions } from './given/options.ts';
import { givenPost, judged, postOptions, postUsage } from './given/post.ts';
import { formOf } from './screen/form.ts';
import { whileWaiting } from './screen/waiting.ts';
import { printVerdicts } from './send/view.ts';

const usage = `outrider send [--file post.json | --text TEXT | -] [options]

Takes one post in and queues it for every channel that it belongs to; a running dispatcher sends it. Prints a verdict
for each channel. Exit code 0: a channel has queued it, or has it already (deduped); 1: no channel takes it.
For example: outrider send --title 'Lost dog' --text 'Ginger, answers to Bim.' --tag lost

${postUsage}

${askingUsage}`;

export const send: Command = {
  usage,
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, { ...askingOptions, ...postOptions });
    const form = formOf(terminal, values);
    const [stray] = positionals.filter((each) => each !== '-');
    if (stray !== undefined) throw new UsageError(`"${stray}": give a text with --text`);
    const post = await givenPost(values, positionals, terminal, 'what is to be sent?');
    return inWorkspace(terminal, values.workspace, async (place) => {
      const taken = takeIn(place, post, terminal.stopped);
      const enqueued = await whileWaiting(terminal, 'taking the post in', taken);
      const { messageId, channels } = enqueued;
      const { client, workspaceId } = place;
      if (channels.some((each) => each.verdict === 'queued')) await wakeDispatchers(client);
      const deliveries = await listDeliveries(client, { workspaceId, messageId, limit: 1000 });
      const reasons = await explainPost(client, { workspaceId, search: messageId });
      printVerdicts(terminal, enqueued, { deliveries, reasons, form });
      return channels.some(isTaken) ? exitCodes.ok : exitCodes.failed;
    });
  },
};

/** Queued now, or a repeat of what the channel has or is about to get. */
function isTaken({ verdict }: ChannelVerdict): boolean {
  return verdict === 'queued' || verdict === 'deduped';
}

async function takeIn(
  { client, config, workspaceId }: Place,
  rawPost: object,
  stopped: Promise<void>,
): Promise<Accepted> {
  const stop = new AbortController();
  void stopped.then(() => stop.abort());
  await using stores = openStores(config, createSecrets(config.secrets));
  const fetcher = createMediaFetcher({ store: stores.media, ...config.media });
  try {
    const post = await withCopiedMedia({ client, fetcher }, workspaceId, rawPost, stop.signal);
    const enqueued = enqueuePost({ client }, workspaceId, post);
    return await judged(enqueued, 'correct the post and send it again');
  } finally {
    await fetcher.close();
  }
}
