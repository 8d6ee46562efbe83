// The posts of a simulation: from a file, recorded ones, or made up in the shape of recorded ones; and when they come.

import { parseAllDocuments } from 'yaml';
import { databaseTime } from '../../db/health.ts';
import { type KnownMedium, type ListedPost, listPosts } from '../../db/simulate.ts';
import { InvalidInputError, NotFoundError } from '../../errors.ts';
import type { Arrival } from '../../simulate/delivery.ts';
import { type Terminal, UsageError } from '../command.ts';
import { nameOf, textOf } from '../given/file.ts';
import { type Moment, momentOf } from '../given/moments.ts';
import { text } from '../given/options.ts';
import { inFull, parsedSpan, parsedTime } from '../screen/times.ts';
import type { RealWorkspace } from './beside.ts';

export const postsOptions = {
  recent: text,
  since: text,
  until: text,
  posts: text,
  over: text,
  start: text,
} as const;

export const postsUsage = `What comes in, one of:
  FILE               posts as intake takes them: a list in JSON or YAML, or one JSON object in each line; - is
                     standard input
  --recent N         the latest N posts of the workspace, at the times at which they came (default: 100)
  --since T          its posts since then, such as 7d or 2026-03-02T18:00; --until T
  --posts N          N new posts in the shape of its recent ones; plain texts where there are none
  --over D           these posts spread evenly over that time, such as 8h; 0s for all at once
  --start T          when the first one comes (default: now; recorded posts keep their own times)`;

export interface PostsGiven {
  readonly file: string | undefined;
  readonly recent: number | undefined;
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
  readonly posts: number | undefined;
  readonly overMs: number | undefined;
  readonly start: Date | undefined;
}

export interface Incoming {
  readonly arrivals: readonly Arrival[];
  /** What is known of their media, by blob_ref. */
  readonly media: Readonly<Record<string, KnownMedium>>;
}

type Values = { readonly [Name in keyof typeof postsOptions]?: string | undefined };

const mostPosts = 100_000;

export function postsGiven(file: string | undefined, values: Values): PostsGiven {
  const ways = [file && 'a file', values.recent && '--recent', values.posts && '--posts'].filter(
    (each) => each !== undefined,
  );
  if (ways.length > 1)
    throw new UsageError(`give the posts in one way, not with ${ways.join(' and ')}`);
  const isBySpan = values.since !== undefined || values.until !== undefined;
  if (isBySpan && (file !== undefined || values.posts !== undefined)) {
    throw new UsageError('--since and --until choose recorded posts; take the other posts away');
  }
  return {
    file,
    recent: countOf('recent', values.recent),
    since: momentOf('since', values.since),
    until: momentOf('until', values.until),
    posts: countOf('posts', values.posts),
    overMs: spanGiven('over', values.over),
    start: timeGiven('start', values.start),
  };
}

export function countOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const count = Number(given);
  if (/^\d{1,6}$/.test(given) && count >= 1 && count <= mostPosts) return count;
  throw new UsageError(`--${name} ${given}: it is a number from 1 to ${mostPosts}`);
}

export function spanGiven(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = parsedSpan(given);
  if (ms !== undefined) return ms;
  throw new UsageError(`--${name} ${given}: it is a span such as 90s, 10m, 8h or 2d`);
}

function timeGiven(name: string, given: string | undefined): Date | undefined {
  if (given === undefined) return undefined;
  const at = parsedTime(given);
  if (at !== undefined) return at;
  throw new UsageError(`--${name} ${given}: it is a time such as 2026-03-02T18:00+03:00`);
}

/** The posts of a file, read before a database is opened. */
export async function postsInFile(
  file: string | undefined,
  terminal: Terminal,
): Promise<Post[] | undefined> {
  if (file === undefined) return undefined;
  const given = await textOf(file, terminal, 'examples/posts.json');
  const posts = readPosts(nameOf(file), given);
  if (posts.length === 0) {
    throw new InvalidInputError(`${nameOf(file)} holds no post`, { hint: postHint });
  }
  return posts;
}

type Post = Readonly<Record<string, unknown>>;

const postHint =
  'a post is an object such as {"text": "Hello"}; several stand in a list, or one in each line';

/** JSON is YAML, so one reader takes both; several documents are several posts. */
function readPosts(name: string, given: string): Post[] {
  const lines = given.split('\n').filter((line) => line.trim() !== '');
  const values =
    lines.length > 1 && lines.every((line) => line.trimStart().startsWith('{'))
      ? lines.map((line, n) => readJson(`${name}, line ${n + 1}`, line))
      : readYaml(name, given);
  return values.map((value, n) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    throw new InvalidInputError(`${name}: post ${n + 1} is no object`, { hint: postHint });
  });
}

function readJson(where: string, given: string): unknown {
  try {
    return JSON.parse(given);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read';
    throw new InvalidInputError(`${where} is not JSON: ${why}`, { hint: postHint });
  }
}

function readYaml(name: string, given: string): unknown[] {
  const documents = parseAllDocuments(given);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [fault] = document.errors;
    if (fault !== undefined) {
      throw new InvalidInputError(`${name} cannot be read: ${fault.message}`, { hint: postHint });
    }
    const value: unknown = document.toJS();
    if (value === null) return [];
    return Array.isArray(value) ? value.map((each: unknown) => each) : [value];
  });
}

/** The posts that the command line means, with their times. */
export async function incoming(
  { client, workspaceId }: RealWorkspace,
  given: PostsGiven,
  inFile: readonly Post[] | undefined,
): Promise<Incoming> {
  const now = await databaseTime(client);
  const start = (given.start ?? now).getTime();
  if (inFile !== undefined)
    return { arrivals: spread(inFile, start, given.overMs ?? 0), media: {} };
  const [since, until] = [timeOf(given.since, now), timeOf(given.until, now)];
  if (since !== undefined && until !== undefined && since > until) {
    throw new InvalidInputError('--since is a later time than --until', {
      hint: 'such as --since 3d --until 1h: from three days ago to an hour ago',
    });
  }
  const listed = await listPosts(client, {
    workspaceId,
    since,
    until,
    limit:
      given.recent ?? (given.since === undefined && given.until === undefined ? 100 : mostPosts),
  });
  const media = Object.fromEntries(listed.flatMap((each) => Object.entries(each.media)));
  if (given.posts !== undefined) {
    const posts = madeUp(listed, given.posts);
    return { arrivals: spread(posts, start, given.overMs ?? 0), media };
  }
  if (listed.length === 0) throw nothingRecorded(workspaceId, given, now);
  return { arrivals: recorded(listed, given), media };
}

function timeOf(moment: Moment | undefined, now: Date): string | undefined {
  if (moment === undefined) return undefined;
  return ('at' in moment ? moment.at : new Date(now.getTime() - moment.ago)).toISOString();
}

function nothingRecorded(
  workspaceId: string,
  { since, until }: PostsGiven,
  now: Date,
): NotFoundError {
  const when = Object.entries({ since, until }).flatMap(([word, moment]) => {
    const at = timeOf(moment, now);
    return at === undefined ? [] : [` ${word} ${inFull(new Date(at), now)}`];
  });
  return new NotFoundError(`workspace ${workspaceId} has no posts${when.join('')}`, {
    hint: 'give another time; outrider simulate also takes a file, or makes up --posts N',
  });
}

function recorded(listed: readonly ListedPost[], { overMs, start }: PostsGiven): Arrival[] {
  const first = listed[0]?.receivedAt.getTime() ?? 0;
  const from = start?.getTime() ?? first;
  if (overMs !== undefined) {
    return spread(
      listed.map(({ post }) => post),
      from,
      overMs,
    );
  }
  return listed.map(({ post, receivedAt }) => ({ at: from + receivedAt.getTime() - first, post }));
}

function spread(posts: readonly Post[], from: number, overMs: number): Arrival[] {
  const step = posts.length > 1 ? overMs / (posts.length - 1) : 0;
  return posts.map((post, n) => ({ at: Math.round(from + n * step), post }));
}

/** New posts: each is a recorded one with a number in its text, so that none is a repeat. */
function madeUp(listed: readonly ListedPost[], count: number): Post[] {
  return Array.from({ length: count }, (_, n) => {
    const post: Post = listed[n % Math.max(1, listed.length)]?.post ?? {};
    const own = typeof post['text'] === 'string' ? post['text'] : 'A simulated post';
    return { ...post, text: `${own}\n${n + 1}` };
  });
}
