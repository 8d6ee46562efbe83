// What the services say while they run, line by line: for people on a terminal, and as JSON for everything else.

import { styleText } from 'node:util';
import { type DestinationStream, pino } from 'pino';
import { z } from 'zod';
import { maskJson, maskText } from './masking.ts';
import { visible } from './visible.ts';

/** Facts are named as in the schema: workspace_id, channel_id, delivery_id, trace_id. */
export type Facts = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
  /** The same log with facts that every line of it carries. */
  with(facts: Facts): Log;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** Lines for people instead of JSON. */
  readonly pretty: boolean;
  /** Takes whole lines, each with its line feed. */
  readonly write: (line: string) => void;
}

export function createLog({ level, pretty, write }: LogOptions): Log {
  const stream: DestinationStream = {
    write: (line) => write(pretty ? forPeople(masked(line)) : forMachines(masked(line))),
  };
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return over(pino(settings, stream));
}

export const silentLog: Log = createLog({ level: 'silent', pretty: false, write: () => undefined });

function over(logger: pino.Logger): Log {
  return {
    debug: (message, facts = {}) => logger.debug(facts, message),
    info: (message, facts = {}) => logger.info(facts, message),
    warn: (message, facts = {}) => logger.warn(facts, message),
    error: (message, facts = {}) => logger.error(facts, message),
    with: (facts) => over(logger.child(facts)),
  };
}

const passwordInAddress = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*:)[^\s@"]+@/gi;

// In a line with an escape or with such a key, a value may have to be masked although the line as a text has no need.
const needsReading =
  /\\|"[\w-]*(?:token|secret|passw|authorization|cookie|key|signature|phone|tel|msisdn)[\w-]*":/i;

/**
 * A line of JSON with the values as the record would keep them. Nearly every line has nothing to mask, and is not taken
 * apart for that.
 */
function masked(line: string): string {
  const given = line.replace(passwordInAddress, '$1***@');
  if (!needsReading.test(given) && maskText(given) === given) return given;
  return JSON.stringify(maskJson(JSON.parse(given)));
}

const colours = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

const Line = z
  .object({
    time: z.string(),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
  })
  .catchall(z.unknown());

/** JSON may hold characters that a terminal obeys. As JSON escapes they mean the same. */
function forMachines(line: string): string {
  return `${visible(line.trimEnd())}\n`;
}

function forPeople(line: string): string {
  const { time, level, message, ...facts } = Line.parse(JSON.parse(line));
  const rest = Object.entries(facts).map(([name, value]) => ` ${name}=${asText(value)}`);
  const clock = styleText('gray', time.slice(11, 23));
  const word = styleText(colours[level], level.padEnd(5));
  return `${clock} ${word} ${visible(message)}${styleText('gray', rest.join(''))}\n`;
}

function asText(value: unknown): string {
  const isPlain = typeof value === 'string' && !/\s/.test(value) && visible(value) === value;
  return isPlain ? value : visible(JSON.stringify(value));
}
