// A pull source in a configuration file: the keys of its config are those of every source and those of its kind.

import { z } from 'zod';
import { kinds } from '../../pull/kinds.ts';
import type { SourceKind } from '../../pull/source.ts';
import {
  CommonKeys,
  type ConfigIssue,
  keysOfKind,
  readSourceConfig,
} from '../../pull/source-config.ts';
import { nearest } from '../given/nearest.ts';
import { valueAt, wordsFor } from './fault-words.ts';

export const PullSource = z
  .strictObject({
    kind: z.enum(kinds.map((each) => each.name)),
    config: z.record(z.string(), z.unknown()).describe('As the kind of source asks for.'),
    enabled: z.boolean().describe('Default: true.'),
  })
  .partial()
  .check(({ value, issues }) => {
    const { kind: name, config } = value;
    if (config === undefined) return;
    const kind = kinds.find((each) => each.name === name);
    if (kind === undefined) {
      const message = 'is missing: it says what config may hold';
      issues.push({ code: 'custom', path: ['kind'], message, input: value });
      return;
    }
    const read = readSourceConfig(kind, config);
    if (read.ok) return;
    for (const issue of read.issues) {
      if (value.enabled === false && isUnfilled(valueAt(config, issue.path))) continue;
      for (const { path, message } of inWords(kind, issue, config)) {
        issues.push({ code: 'custom', path: ['config', ...path], message, input: config });
      }
    }
  });

/** In a source that is not enabled, a value whose variable is missing stays as it is written: ${NAME}. */
function isUnfilled(value: unknown): boolean {
  return typeof value === 'string' && /\$\{\w+\}/.test(value);
}

interface Words {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** For an unknown key, names the key that may be meant, or all keys. */
function inWords(
  kind: SourceKind,
  issue: ConfigIssue,
  config: Readonly<Record<string, unknown>>,
): readonly Words[] {
  const { path } = issue;
  if (issue.code !== 'unrecognized_keys') {
    return [{ path, message: wordsFor(issue, valueAt(config, path)) }];
  }
  const known = path.length === 0 ? keysOfKind(kind) : [];
  return issue.keys.map((key) => {
    const meant = nearest(key, known);
    const all = known.length === 0 ? 'leave it out' : `there are ${known.join(', ')}`;
    const instead = meant === undefined ? all : `did you mean "${meant}"?`;
    return { path: [...path, key], message: `is no key of ${kind.name}; ${instead}` };
  });
}

/** For editors: what config may hold, by kind. */
export function kindConditions(): z.core.JSONSchema.BaseSchema[] {
  const common = z.toJSONSchema(CommonKeys, { io: 'input' });
  return kinds.map((kind) => {
    const { $schema: _, ...own } = z.toJSONSchema(kind.keys, {
      io: 'input',
      unrepresentable: 'any',
    });
    const config = { ...own, properties: { ...common.properties, ...own.properties } };
    return {
      if: { properties: { kind: { const: kind.name } }, required: ['kind'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
      then: { properties: { config } },
    };
  });
}
