// Rules of a bot in a file, before they are applied.

import { loadConfig } from '../../config.ts';
import type { DecideRequest } from '../../db/bot.ts';
import { NotFoundError } from '../../errors.ts';
import { examineConfiguration, hintFor } from '../apply/read-configuration.ts';
import type { Fault } from '../apply/source.ts';
import type { Terminal } from '../command.ts';
import { nameOf, textOf } from '../given/file.ts';

export interface GivenRules {
  readonly workspaceId: string;
  readonly document: NonNullable<DecideRequest['document']>;
}

/** The rules and settings of a configuration file. Secrets, and variables elsewhere in it, need not be set. */
export async function givenRules(
  file: string,
  terminal: Terminal,
  workspace: string | undefined,
): Promise<GivenRules> {
  const name = nameOf(file);
  const text = await textOf(file, terminal, 'presets/shop-bot.yaml');
  const { faults, configurations, refusal } = await examineConfiguration(
    name,
    text,
    loadConfig().secrets,
  );
  const ofRules = faults.filter(isOfRules);
  if (ofRules.length > 0) throw refusal(ofRules, hintFor(ofRules));

  const withRules = configurations.flatMap(({ workspaceId, document }) => {
    const { bot_rules: rules, settings } = document;
    if (!isObject(rules)) return [];
    const given = { bot_rules: rules, ...(isObject(settings) ? { settings } : {}) };
    return [{ workspaceId, document: given }];
  });
  const meant = withRules.find((each) => each.workspaceId === workspace) ?? withRules[0];
  if (meant !== undefined) return meant;
  throw new NotFoundError(`${name} has no rules of a bot`, {
    hint: 'rules stand in the section bot_rules; presets/shop-bot.yaml has some',
  });
}

function isOfRules({ isOfSecret, isOfVariable, section }: Fault): boolean {
  if (isOfSecret === true) return false;
  return isOfVariable !== true || section === 'bot_rules' || section === 'settings';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
