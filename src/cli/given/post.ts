// The post that a command line gives: as a file, as standard input, or in options.

import { readFile } from 'node:fs/promises';
import { InvalidInputError } from '../../errors.ts';
import { isNestedTooDeeply } from '../../ingest/nesting.ts';
import { whyNotKept } from '../../ingest/why-not-kept.ts';
import { withHint } from '../asking.ts';
import { type Terminal, UsageError } from '../command.ts';
import { text, texts } from './options.ts';
import { utf8Text } from './utf8.ts';

export const postOptions = {
  file: text,
  text,
  title: text,
  url: text,
  tag: texts,
  'scheduled-for': text,
  'source-ref': text,
} as const;

export const postUsage = `  --file F            the post, as JSON: {"text": …, "title": …, "media": […], "tags": […], …}
  --text TEXT         the post's text
  -                   standard input: the post as JSON if it begins with {, otherwise the post's text
  --title T           its title
  --url U             the address of its page
  --tag T             a tag for routing; as often as needed
  --scheduled-for T   send it no earlier, such as 2026-03-02T18:00:00+03:00
  --source-ref R      the source's own id for it`;

/** What `postOptions` reads. */
export interface PostValues {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly 'scheduled-for'?: string | undefined;
  readonly 'source-ref'?: string | undefined;
}

/** `words` are those beside the options: "-" is standard input. `question` is asked when no post is given. */
export async function givenPost(
  values: PostValues,
  words: readonly string[],
  terminal: Terminal,
  question: string,
): Promise<object> {
  const ways = [values.file, values.text, words[0]].filter((each) => each !== undefined);
  if (ways.length > 1 || words.length > 1) {
    throw new UsageError('give the post with one of --file, --text and -');
  }
  if (ways.length === 0 && values.title === undefined && values.url === undefined) {
    throw new UsageError(`${question} give it with --file, --text or -`);
  }
  const given = await readGiven(values, words.length > 0, terminal);
  const tags = values.tag ?? [];
  return {
    ...given,
    ...present({
      title: values.title,
      url: values.url,
      scheduled_for: values['scheduled-for'],
      source_ref: values['source-ref'],
    }),
    ...(tags.length > 0 ? { tags: [...tagsOf(given), ...tags] } : {}),
  };
}

/** Rewords why the database refuses the post, with a hint at what to do. */
export function judged<Result>(asked: Promise<Result>, hint: string): Promise<Result> {
  return withHint(asked.catch(inWords), hint);
}

/** PostgreSQL's own words for a value that it cannot keep (class 22) name its types, and not the post. */
function inWords(error: unknown): never {
  if (error instanceof InvalidInputError && error.sqlstate?.startsWith('22') === true) {
    throw new InvalidInputError(whyNotKept(error), { sqlstate: error.sqlstate });
  }
  throw error;
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
  return utf8Text(file, await bytesOf(file));
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new InvalidInputError(`${file} ${isMissing ? 'is not there' : 'cannot be read'}`, {
      hint: 'name a file that holds one post as JSON',
    });
  }
}

function parsed(where: string, given: string): Post {
  const value = readJson(where, given);
  if (isNestedTooDeeply(value)) throw new InvalidInputError('the post is nested too deeply');
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
