import { readFile } from 'node:fs/promises';
import { wakeDispatchers } from '../db/dispatch.ts';
import { listDeliveries } from '../db/inspect.ts';
import type { ChannelVerdict } from '../db/intake.ts';
import { InvalidInputError } from '../errors.ts';
import { type Accepted, enqueuePost, withCopiedMedia } from '../ingest/enqueue-post.ts';
import { createMediaFetcher } from '../media/media-fetcher.ts';
import { openStores } from '../roles/configured-stores.ts';
import { createSecrets } from '../secrets.ts';
import { askingOptions, askingUsage, inWorkspace, type Place, withHint } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { type Form, formOf } from './form.ts';
import { readOptions, text, texts } from './options.ts';
import { printVerdicts } from './send-view.ts';
import { whileWaiting } from './waiting.ts';

const usage = `outrider send [--file post.json | --text TEXT | -] [options]

Takes one post in and queues it for every channel that it belongs to; a running dispatcher sends it. Prints a verdict
for each channel. Exit code 0: a channel has queued it, or has it already (deduped); 1: no channel takes it.
For example: outrider send --title 'Lost dog' --text 'Ginger, answers to Bim.' --tag lost

  --file F            the post, as JSON: {"text": …, "title": …, "media": […], "tags": […], …}
  --text TEXT         the post's text
  -                   standard input: the post as JSON if it begins with {, otherwise the post's text
  --title T           its title
  --url U             the address of its page
  --tag T             a tag for routing; as often as needed
  --scheduled-for T   send it no earlier, such as 2026-03-02T18:00:00+03:00
  --source-ref R      the source's own id for it

${askingUsage}`;

export const send: Command = {
  usage,
  async run(args, terminal) {
    const { workspace, form, post } = await readPost(args, terminal);
    return inWorkspace(terminal, workspace, async (place) => {
      const taken = takeIn(place, post, terminal.stopped);
      const enqueued = await whileWaiting(terminal, 'taking the post in', taken);
      const { messageId, channels } = enqueued;
      const { client, workspaceId } = place;
      if (channels.some((each) => each.verdict === 'queued')) await wakeDispatchers(client);
      const deliveries = await listDeliveries(client, { workspaceId, messageId, limit: 1000 });
      printVerdicts(terminal, enqueued, deliveries, form);
      return channels.some(isTaken) ? exitCodes.ok : exitCodes.failed;
    });
  },
};

/** Queued now, or a repeat of what the channel has or is about to get. */
function isTaken({ verdict }: ChannelVerdict): boolean {
  return verdict === 'queued' || verdict === 'deduped';
}

async function readPost(
  args: readonly string[],
  terminal: Terminal,
): Promise<{ workspace: string | undefined; form: Form; post: object }> {
  const { values, positionals } = readOptions(args, {
    ...askingOptions,
    file: text,
    text,
    title: text,
    url: text,
    tag: texts,
    'scheduled-for': text,
    'source-ref': text,
  });
  const form = formOf(terminal, values);
  const [stray] = positionals.filter((each) => each !== '-');
  if (stray !== undefined) throw new UsageError(`"${stray}": give a text with --text`);
  const ways = [values.file, values.text, positionals[0]].filter((each) => each !== undefined);
  if (ways.length > 1) throw new UsageError('give the post with one of --file, --text and -');
  if (ways.length === 0 && values.title === undefined && values.url === undefined) {
    throw new UsageError('what is to be sent? give it with --file, --text or -');
  }

  const given = await readGiven(values, positionals.length > 0, terminal);
  const tags = values.tag ?? [];
  const post = {
    ...given,
    ...present({
      title: values.title,
      url: values.url,
      scheduled_for: values['scheduled-for'],
      source_ref: values['source-ref'],
    }),
    ...(tags.length > 0 ? { tags: [...tagsOf(given), ...tags] } : {}),
  };
  return { workspace: values.workspace, form, post };
}

type Post = Readonly<Record<string, unknown>>;

async function readGiven(
  values: { file?: string | undefined; text?: string | undefined },
  fromInput: boolean,
  terminal: Terminal,
): Promise<Post> {
  if (values.file !== undefined) return parsed(values.file, await contentOf(values.file));
  if (!fromInput) return present({ text: values.text });
  const input = await terminal.input();
  // What begins with { and is not JSON is far more often a broken post than a text, so it is refused.
  return input.trimStart().startsWith('{') ? parsed('standard input', input) : { text: input };
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new InvalidInputError(`${file} ${isMissing ? 'is not there' : 'cannot be read'}`, {
      hint: 'name a file that holds one post as JSON',
    });
  }
}

function parsed(where: string, given: string): Post {
  const value = readJson(where, given);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidInputError(`${where} holds JSON, but not one post`, {
    hint: 'a post is an object such as {"text": "Hello"}',
  });
}

function readJson(where: string, given: string): unknown {
  try {
    return JSON.parse(given);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new InvalidInputError(`${where} is not JSON: ${why}`, {
      hint: 'a post is an object such as {"text": "Hello"}',
    });
  }
}

function present(fields: Readonly<Record<string, string | undefined>>): Post {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function tagsOf({ tags }: { readonly tags?: unknown }): readonly unknown[] {
  return Array.isArray(tags) ? tags : [];
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
    return await withHint(enqueued, 'correct the post and send it again');
  } finally {
    await fetcher.close();
  }
}
