// The configuration of a source: keys that every kind has, and the keys of its own kind.

import { Cron } from 'croner';
import { z } from 'zod';
import { readers } from './readers.ts';
import type { SourceKind } from './source.ts';

const minuteMs = 60_000;
const unitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: minuteMs,
  min: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
};
const shortestMs = 10_000;
const longestMs = 31 * 24 * 60 * minuteMs;
const usualMs = 5 * minuteMs;

/** Undefined when it is no span of time. */
function spanMs(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9}) ?([a-z]+)$/.exec(text) ?? [];
  const ms = Number(count) * (unitsMs[unit] ?? Number.NaN);
  return Number.isNaN(ms) ? undefined : ms;
}

const Every = z
  .string()
  .refine((text) => text === 'never' || spanMs(text) !== undefined, {
    error: 'must be a span of time such as 30s, 5m, 2h or 1d, or never',
    abort: true,
  })
  .refine((text) => text === 'never' || (spanMs(text) ?? 0) >= shortestMs, {
    error: 'must be 10s at least',
  })
  .refine((text) => text === 'never' || (spanMs(text) ?? 0) <= longestMs, {
    error: 'must be 31d at most',
  })
  .meta({ examples: ['30s', '5m', '2h'] });

/** Five fields: a source is not read more often than once a minute by the clock. */
const cronFields = /^(@(yearly|annually|monthly|weekly|daily|hourly)|\S+( +\S+){4})$/i;

const CronPattern = z.string().refine((text) => isCron(text), {
  error: 'must be five fields of cron, such as "*/15 8-20 * * *", and come up some day',
});

function isCron(text: string): boolean {
  if (!cronFields.test(text)) return false;
  try {
    return new Cron(text, { timezone: 'UTC' }).nextRun() !== null;
  } catch {
    return false;
  }
}

const TimeZone = z.string().refine((name) => isTimeZone(name), {
  error: 'must be a time zone such as Europe/Moscow',
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

const Id = z
  .string()
  .regex(/^[^\p{Cc}]{1,128}$/u, 'an id has 1 to 128 characters and no line ends');

const commonShape = {
  every: Every.describe(
    'How often it is read: a span such as 5m, 10s at least; never: a program of your own reads it. Default: 5m.',
  ),
  cron: CronPattern.describe('Instead of every: when it is read, in five fields of cron.'),
  timezone: TimeZone.describe('Of cron, such as Europe/Moscow. Default: UTC.'),
  limit: z
    .int()
    .min(1)
    .max(1000)
    .describe('The most items that are taken in at once. Default: 100.'),
  tags: z.array(z.string().min(1).max(512)).max(50).describe('Added to the tags of each post.'),
  reader: z
    .string()
    .refine((name) => Object.hasOwn(readers, name), { error: () => readersInWords() })
    .describe('What finds out more about each post: adds tags and fields.'),
  auth_ref: Id.describe('The credential that it is read with.'),
  rate_group: Id.describe('Whose pace its calls share. Default: auth_ref.'),
};

function readersInWords(): string {
  const names = Object.keys(readers);
  return names.length === 0 ? 'is not known: there is no reader' : `must be ${names.join(' or ')}`;
}

/** The keys that sources of every kind may have. */
export const CommonKeys = z.strictObject(commonShape).partial();

export type CommonKeys = z.output<typeof CommonKeys>;

const commonNames: readonly string[] = Object.keys(commonShape);

/** Something wrong with a configuration; the path leads into it. */
export type ConfigIssue = z.core.$ZodIssue;

export type ReadConfig =
  | { readonly ok: true; readonly common: CommonKeys; readonly own: unknown }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

export function readSourceConfig(
  kind: SourceKind,
  config: Readonly<Record<string, unknown>>,
): ReadConfig {
  const entries = Object.entries(config);
  const common = CommonKeys.safeParse(pick(entries, (name) => commonNames.includes(name)));
  const own = kind.keys.safeParse(pick(entries, (name) => !commonNames.includes(name)));
  const issues = [
    ...(common.error?.issues ?? []),
    ...(own.error?.issues ?? []),
    ...contradictions(kind, config),
  ];
  if (!common.success || !own.success || issues.length > 0) return { ok: false, issues };
  return { ok: true, common: common.data, own: own.data };
}

function pick(
  entries: readonly (readonly [string, unknown])[],
  isWanted: (name: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(entries.filter(([name]) => isWanted(name)));
}

function contradictions(
  kind: SourceKind,
  config: Readonly<Record<string, unknown>>,
): readonly ConfigIssue[] {
  const issue = (key: string, message: string): ConfigIssue => {
    return { code: 'custom', path: [key], message, input: config[key] };
  };
  const has = (key: string): boolean => config[key] !== undefined;
  return [
    ...(has('every') && has('cron')
      ? [issue('cron', 'contradicts every: give one of the two')]
      : []),
    ...(has('timezone') && !has('cron')
      ? [issue('timezone', 'goes with cron, and there is none')]
      : []),
    ...(has('rate_group') && !has('auth_ref')
      ? [issue('rate_group', 'goes with auth_ref, and there is none')]
      : []),
    ...(kind.platform !== undefined && !has('auth_ref')
      ? [
          issue(
            'auth_ref',
            `is missing: ${kind.name} is read with a credential of ${kind.platform}`,
          ),
        ]
      : []),
  ];
}

/** The names of all keys that a source of a kind may have. */
export function keysOfKind(kind: SourceKind): string[] {
  const own = z.toJSONSchema(kind.keys, { io: 'input', unrepresentable: 'any' });
  return [...commonNames, ...Object.keys(own.properties ?? {})];
}

/** When a source is read again, that was claimed at a time. */
export function nextPullAt(
  { every, cron, timezone }: CommonKeys,
  claimedAt: Date,
  now: Date,
): Date {
  if (cron !== undefined) {
    const next = new Cron(cron, { timezone: timezone ?? 'UTC' }).nextRun(now);
    if (next !== null) return next;
  }
  const ms = every === undefined || every === 'never' ? usualMs : (spanMs(every) ?? usualMs);
  return new Date(Math.max(now.getTime(), claimedAt.getTime() + ms));
}
