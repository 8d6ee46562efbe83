// Changes of a configuration that are tried out: a file as `outrider apply` takes it, and single values (--set).

import { parse } from 'yaml';
import { InvalidInputError } from '../../errors.ts';
import type { ConfigurationChange } from '../../simulate/simulate.ts';
import { Document } from '../apply/document.ts';
import { faultsOf } from '../apply/faults.ts';
import { documentHint, examineConfiguration, hintFor } from '../apply/read-configuration.ts';
import type { Source } from '../apply/source.ts';
import { type Terminal, UsageError } from '../command.ts';
import { nameOf, textOf } from '../given/file.ts';
import { nearest, thereAre } from '../given/nearest.ts';
import { platformNames } from '../screen/platform-words.ts';

/** The sections that decide when posts go out and how they look. */
const sections = ['settings', 'credentials', 'rate_groups', 'templates', 'channels'] as const;

const groupPath = `rate_groups.${platformNames[0]}.bot.rate_rps`;

export const changesUsage = `  --set PATH=VALUE   a value of the configuration, by its path in the file of outrider apply; as often as needed.
                     channels.news.rate_rps=2, channels.'tg-*'.max_parallel=4, ${groupPath}=10,
                     channels.news.auth_ref=bot2 (another credential: one that is new has a rate group of its own)
  --with FILE        a configuration file as outrider apply takes it, laid over the configuration`;

type Mapping = Readonly<Record<string, unknown>>;

/** A file as a change of one workspace. Secrets that it refers to need not be there. */
export async function changeFromFile(
  file: string,
  workspaceId: string,
  secrets: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<ConfigurationChange> {
  const text = await textOf(file, terminal, 'presets/demo.yaml');
  const { faults, configurations, refusal } = await examineConfiguration(
    nameOf(file),
    text,
    secrets,
  );
  const grave = faults.filter((each) => each.isOfSecret !== true);
  if (grave.length > 0) throw refusal(grave, hintFor(grave));
  const own = configurations.find((each) => each.workspaceId === workspaceId);
  if (own === undefined) {
    const names = configurations.map((each) => each.workspaceId);
    throw new InvalidInputError(
      `${nameOf(file)} says nothing about workspace ${workspaceId}; it is about ${names.join(', ')}`,
      { hint: 'name the workspace with --workspace, or give a file that has it' },
    );
  }
  const entries = sections.flatMap((name) =>
    own.document[name] === undefined ? [] : [[name, own.document[name]] as const],
  );
  return {
    document: Object.fromEntries(entries),
    refusal: (error) => refusal(own.faultsIn(error), documentHint),
  };
}

/** Single values as one change. `document` is the configuration that they are laid over. */
export function changeFromValues(
  values: readonly string[],
  document: Mapping,
  earlier: readonly ConfigurationChange[] = [],
): ConfigurationChange {
  const known = earlier.reduce<Mapping>((sum, each) => overlaid(sum, each.document), document);
  const change: Record<string, unknown> = {};
  for (const given of values) {
    const { path, value } = readValue(given);
    for (const each of meantBy(path, known, given)) put(change, each, value);
  }
  addCredentials(change, known);
  requireForm(change);
  requireGroups(change, overlaid(known, change));
  return { document: change, refusal: (error) => refusedValue(error) };
}

function readValue(given: string): { path: string[]; value: unknown } {
  const at = given.indexOf('=');
  if (at <= 0) {
    throw new UsageError(
      `--set ${given}: it is a path and a value, such as channels.news.rate_rps=2`,
    );
  }
  const path = stepsOf(given.slice(0, at).trim());
  try {
    return { path, value: parse(given.slice(at + 1)) };
  } catch {
    throw new UsageError(`--set ${given}: the value cannot be read; put a text in quotes`);
  }
}

/** The keys of a path; one that holds a dot stands in quotes. */
function stepsOf(path: string): string[] {
  const steps = path.match(/'[^']*'|"[^"]*"|[^.'"]+/g) ?? [];
  return steps.map((step) => step.replace(/^(['"])(.*)\1$/s, '$2'));
}

/** The places that a path means: in the id of a channel * stands for any characters and ? for one. */
function meantBy([section, ...rest]: readonly string[], known: Mapping, given: string): string[][] {
  if (!sections.some((name) => name === section) || section === undefined) {
    const meant = section === undefined ? undefined : nearest(section, sections);
    const instead = meant === undefined ? thereAre(sections) : `did you mean ${meant}?`;
    throw new UsageError(
      `--set ${given}: nothing under "${section}" changes when posts go out or how they look; ${instead}`,
    );
  }
  if (section === 'settings') return [[section, ...rest]];
  const least = section === 'rate_groups' ? 3 : 2;
  if (rest.length < least) {
    throw new UsageError(
      `--set ${given}: the path is too short; ${section} has paths such as ${examples[section]}`,
    );
  }
  if (section !== 'channels') return [[section, ...rest]];
  const [id = '', ...fields] = rest;
  const ids = Object.keys(mappingIn(known, 'channels'));
  const chosen = ids.filter((each) => globOf(id).test(each));
  if (chosen.length > 0) return chosen.map((each) => [section, each, ...fields]);
  const meant = nearest(id, ids);
  const instead = meant === undefined ? thereAre(ids.slice(0, 20)) : `did you mean ${meant}?`;
  throw new UsageError(`--set ${given}: there is no channel "${id}"; ${instead}`);
}

const examples: Readonly<Record<string, string>> = {
  channels: 'channels.news.rate_rps',
  rate_groups: groupPath,
  credentials: 'credentials.bot.platform',
  templates: 'templates.news.body',
};

function globOf(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [last = '', ...before] = path.toReversed();
  let place = target;
  for (const step of before.toReversed()) {
    const inner = place[step];
    const next = isMapping(inner) ? { ...inner } : {};
    place[step] = next;
    place = next;
  }
  place[last] = value;
}

/** A credential that a channel gets and nobody has described yet: what it is bound to does not matter here. */
function addCredentials(change: Record<string, unknown>, known: Mapping): void {
  const credentials = { ...mappingIn(known, 'credentials'), ...mappingIn(change, 'credentials') };
  for (const [id, channel] of Object.entries(mappingIn(change, 'channels'))) {
    const authRef = isMapping(channel) ? channel['auth_ref'] : undefined;
    if (typeof authRef !== 'string' || credentials[authRef] !== undefined) continue;
    const platform = valueIn(mappingIn(known, 'channels'), id, 'platform');
    put(change, ['credentials', authRef], { platform, secret_ref: 'env:SIMULATED' });
  }
}

function requireForm(change: Mapping): void {
  const value = { workspace: 'simulated', ...change };
  const parsed = Document.safeParse(value);
  if (parsed.success) return;
  const source: Source = { value, offsetOf: () => 0, offsetOfKey: () => 0 };
  const [first] = faultsOf(source, parsed.error);
  throw new UsageError(`--set: ${first?.message ?? 'the value does not fit'}`);
}

/** A limit of a rate group that no channel is in would change nothing. */
function requireGroups(change: Mapping, whole: Mapping): void {
  const channels = Object.values(mappingIn(whole, 'channels')).filter(isMapping);
  for (const [platform, groups] of Object.entries(mappingIn(change, 'rate_groups'))) {
    const there = channels
      .filter((each) => each['platform'] === platform)
      .map((each) => String(each['rate_group'] ?? each['auth_ref']));
    for (const group of Object.keys(isMapping(groups) ? groups : {})) {
      if (there.includes(group)) continue;
      const names = [...new Set(there)].toSorted().slice(0, 20);
      const instead = names.length === 0 ? `none is of ${platform}` : thereAre(names);
      throw new UsageError(
        `--set rate_groups.${platform}.${group}: no channel is in such a rate group; ${instead}`,
      );
    }
  }
}

function refusedValue(error: unknown): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const message = error.message.replace(/^apply_workspace: /, '--set: ');
  return new InvalidInputError(message, { hint: error.hint ?? documentHint });
}

/** The fields of each thing, those of the second document in place of the first one's. */
function overlaid(document: Mapping, change: Mapping): Mapping {
  const whole: Record<string, unknown> = { ...document };
  for (const [key, value] of Object.entries(change)) {
    const inner = whole[key];
    whole[key] = isMapping(inner) && isMapping(value) ? overlaid(inner, value) : value;
  }
  return whole;
}

function mappingIn(document: Mapping, key: string): Mapping {
  const value = document[key];
  return isMapping(value) ? value : {};
}

function valueIn(document: Mapping, ...[key = '', ...rest]: readonly string[]): unknown {
  const value = document[key];
  return rest.length === 0 ? value : valueIn(isMapping(value) ? value : {}, ...rest);
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
