// What a bot does in a turn, for people.

import type { BotDecision, BotReply } from '../../db/bot.ts';

/** The rule that answers, and its version; rules of a file have none. */
export function ruleInWords({ ruleId, version }: Pick<BotDecision, 'ruleId' | 'version'>): string {
  if (ruleId === null) return 'no rule';
  return version === null || version === 0 ? ruleId : `${ruleId} v${version}`;
}

/** The labels of the buttons, row by row. */
export function buttonsInWords({ buttons = [] }: BotReply): string[] {
  return buttons.map((row) => row.map((button) => `[${button.text}]`).join(' '));
}
