// What requests to the webhooks of the workflows are answered with, by what the database and the gateway say.

import { isDeepStrictEqual } from 'node:util';
import { type Call, runWorkflow } from './run.ts';
import type { Workflow } from './workflow.ts';

interface Request {
  readonly workflow: string;
  readonly trigger: string;
  readonly body: object;
  /** What the functions of the database answer, each with one row; an error as the Postgres node tells it. */
  readonly said: Readonly<Record<string, object>>;
  readonly imported?: object | undefined;
  /** The status of the answer, and what was called on the way. */
  readonly expected: readonly [number, ...string[]];
}

const secret = 'what the sender shows';
const sizeBytes = 19;
const post = { workflow: '01_ingest', trigger: 'Take a post', body: { text: 'Lost dog' } };
const admitted = { verdict: 'admitted', workspace_id: 'w1', endpoint_id: 'push' };
const linked = { ingest_push: { ...admitted, signing_secret_ref: null } };
const away = { error: { description: 'the database is away' } };
const copied = { statusCode: 200, body: { ok: true, payload: { text: 'with copies' } } };
const notCopied = (transient: boolean): object => {
  const error = { code: 'refused', path: 'media[0].url', message: 'no', transient };
  return { statusCode: 200, body: { ok: false, error, reason: 'it is gone' } };
};
const push = ['ingest_push'] as const;
const importing = [
  ...push,
  'drop_repeated_push',
  '/v1/media/import {"workspace_id":"w1","payload":{"text":"Lost dog"}}',
] as const;
const enqueued = `enqueue_copied_post ${JSON.stringify([
  'w1',
  'push',
  '{"text":"with copies"}',
  '{"text":"Lost dog"}',
])}`;

const privately = { id: 5, type: 'private' };
const update = {
  workflow: '11_bot_ingest',
  trigger: 'Telegram tells what people write',
  body: {
    update_id: 1,
    message: {
      message_id: 7,
      date: 1,
      chat: privately,
      from: { id: 5 },
      text: 'hi',
    },
  },
};

const requests: Readonly<Record<string, Request>> = {
  'a post that is accepted': {
    ...post,
    said: { ingest_push: { verdict: 'taken', enqueued: { verdict: 'accepted' } } },
    expected: [202, ...push, 'wake_dispatchers'],
  },
  'a post that is a repeat': {
    ...post,
    said: { ingest_push: { verdict: 'taken', enqueued: { verdict: 'repeated' } } },
    expected: [200, ...push, 'wake_dispatchers'],
  },
  ...Object.fromEntries(
    Object.entries({ unknown_endpoint: 401, workspace_disabled: 403, payload_rejected: 413 }).map(
      ([verdict, status]) => [
        `a post with the verdict ${verdict}`,
        { ...post, said: { ingest_push: { verdict } }, expected: [status, ...push] } as const,
      ],
    ),
  ),
  'a post that comes too soon': {
    ...post,
    said: { ingest_push: { verdict: 'rate_limited', retry_after_ms: 1500 } },
    expected: [429, ...push],
  },
  'a post with a character that the database cannot keep': {
    ...post,
    body: { text: 'Lost \u0000 dog' },
    said: { ingest_push: away },
    expected: [
      422,
      `ingest_push ${JSON.stringify([secret, sizeBytes, '{"text":"Lost \\u0000 dog"}', null])}`,
    ],
  },
  'a post with half of a character': {
    ...post,
    body: { text: 'Lost \ud83d' },
    said: { ingest_push: away },
    expected: [
      422,
      `ingest_push ${JSON.stringify([secret, sizeBytes, '{"text":"Lost \\ud83d"}', null])}`,
    ],
  },
  'a post without a database': { ...post, said: { ingest_push: away }, expected: [503, ...push] },
  'a post that should be signed': {
    ...post,
    said: {
      ingest_push: { ...admitted, signing_secret_ref: 'env:KEY' },
      reject_ingress: { run_id: 'r' },
    },
    expected: [403, ...push, 'reject_ingress'],
  },
  'a post with links': {
    ...post,
    said: {
      ...linked,
      drop_repeated_push: { enqueued: null },
      enqueue_copied_post: { enqueued: { verdict: 'accepted' } },
    },
    imported: copied,
    expected: [202, ...importing, enqueued, 'wake_dispatchers'],
  },
  'a post with links that is a repeat': {
    ...post,
    said: { ...linked, drop_repeated_push: { enqueued: { verdict: 'repeated' } } },
    expected: [200, ...push, 'drop_repeated_push', 'wake_dispatchers'],
  },
  'a post with links that cannot be enqueued': {
    ...post,
    said: { ...linked, drop_repeated_push: { enqueued: null }, enqueue_copied_post: away },
    imported: copied,
    expected: [503, ...importing, enqueued],
  },
  'a post with links that lead nowhere': {
    ...post,
    said: { ...linked, drop_repeated_push: { enqueued: null }, reject_ingress: { run_id: 'r' } },
    imported: notCopied(false),
    expected: [422, ...importing, 'reject_ingress'],
  },
  'a post with links that lead nowhere now': {
    ...post,
    said: { ...linked, drop_repeated_push: { enqueued: null }, reject_ingress: { run_id: 'r' } },
    imported: notCopied(true),
    expected: [502, ...importing, 'reject_ingress'],
  },
  'a post with links without a gateway': {
    ...post,
    said: { ...linked, drop_repeated_push: { enqueued: null }, reject_ingress: { run_id: 'r' } },
    imported: { error: { code: 'ECONNREFUSED', message: '' } },
    expected: [502, ...importing, 'reject_ingress'],
  },
  'an update': {
    ...update,
    said: {
      admit_ingress: admitted,
      take_bot_update: {
        verdict: 'taken',
        workspace_id: 'w1',
        provider: 'telegram',
        chat_id: '5',
        provider_message_id: '7',
      },
      run_bot_turn: { reply_id: 'r' },
      wake_dispatchers: {},
    },
    expected: [
      200,
      'admit_ingress',
      'take_bot_update',
      'run_bot_turn ["w1","telegram","5","7"]',
      'wake_dispatchers',
      'claim_bot_replies ["n8n 42",20]',
    ],
  },
  'an update that came before': {
    ...update,
    said: { admit_ingress: admitted, take_bot_update: { verdict: 'repeated' } },
    expected: [200, 'admit_ingress', 'take_bot_update'],
  },
  'an update that nobody answers': {
    ...update,
    body: { update_id: 1, poll: {} },
    said: { admit_ingress: admitted },
    expected: [200, 'admit_ingress'],
  },
  'an update that is none': {
    ...update,
    body: {},
    said: { admit_ingress: admitted },
    expected: [422, 'admit_ingress'],
  },
  ...Object.fromEntries(
    Object.entries({
      'without a time': { message: { message_id: 7, chat: privately, from: { id: 5 } } },
      'of no time': { message: { message_id: 7, date: 1e18, chat: privately, from: { id: 5 } } },
      'of nobody': { callback_query: { id: '7', message: { chat: privately } } },
    }).map(([name, body]) => [
      `an update ${name}, with a wrong secret`,
      {
        ...update,
        body: { update_id: 1, ...body },
        said: { admit_ingress: { verdict: 'unknown_endpoint' } },
        expected: [401, 'admit_ingress'],
      } as const,
    ]),
  ),
  'an update with a wrong secret': {
    ...update,
    said: { admit_ingress: { verdict: 'unknown_endpoint' } },
    expected: [401, 'admit_ingress'],
  },
  'an update that cannot be recorded': {
    ...update,
    said: { admit_ingress: admitted, take_bot_update: away },
    expected: [503, 'admit_ingress', 'take_bot_update'],
  },
};

/** What each function is to be called with; the reason of a refusal is for people. */
const told = JSON.stringify(post.body);
const right: Readonly<Record<string, readonly unknown[]>> = {
  ingest_push: [secret, sizeBytes, told, null],
  drop_repeated_push: ['w1', 'push', told],
  reject_ingress: ['w1', 'push'],
  admit_ingress: ['bot_webhook', secret, sizeBytes],
  take_bot_update: ['w1', 'push', 'telegram'],
};

/** With its arguments where they are not right, or where a test tells them. */
function inWords(name: string, args: readonly unknown[]): string {
  const wanted = right[name];
  const isRight =
    wanted === undefined
      ? args.length === 0
      : isDeepStrictEqual(args.slice(0, wanted.length), wanted) &&
        args.slice(wanted.length).every((each) => String(each).length > 2);
  return isRight ? name : `${name} ${JSON.stringify(args)}`;
}

export const requestNames: readonly string[] = Object.keys(requests);

/** The answers to a request and what was called on the way; and what they should be. */
export function answersTo(
  name: string,
  workflows: readonly Workflow[],
): { was: unknown[]; expected: readonly unknown[] } {
  const request = requests[name];
  const workflow = workflows.find((each) => each.name === request?.workflow);
  if (request === undefined || workflow === undefined) throw new Error(`no request ${name}`);
  const statuses: number[] = [];
  const called: string[] = [];
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-length': String(sizeBytes),
    'x-telegram-bot-api-secret-token': secret,
  };
  runWorkflow(workflow, request.trigger, [{ headers, body: request.body }], {
    workflows,
    call({ name: asked, args }: Call) {
      called.push(inWords(asked, args));
      const row = request.said[asked];
      return row === undefined ? [] : [row];
    },
    ask(route, body) {
      called.push(`${route} ${JSON.stringify(body)}`);
      return request.imported ?? {};
    },
    onAnswer: (status) => statuses.push(status),
  });
  return { was: [...statuses, ...called], expected: request.expected };
}
