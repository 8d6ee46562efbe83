// A workspace with a bot on Telegram, as many rules as wanted, and questions that one rule each can answer.

import { createHash } from 'node:crypto';
import { applyWorkspace } from '../../src/db/apply.ts';
import { installOutrider, workspace } from '../outrider/workload.ts';

export const secret = 'secret-of-the-bench';
export const endpoint = 'telegram';

const modes = ['contains', 'stem', 'fuzzy'] as const;
const keywordsOfRule = 6;

/** Installs the schema and the bot. Nothing holds its endpoint and its answers back. */
export async function installBot(databaseUrl: string, rules: number): Promise<void> {
  const admin = await installOutrider(databaseUrl, 0);
  const document = {
    workspace,
    credentials: { bot: { platform: 'telegram', secret_ref: 'env:BOT' } },
    endpoints: {
      [endpoint]: {
        kind: 'bot_webhook',
        secret_hash: createHash('sha256').update(secret).digest('hex'),
        auth_ref: 'bot',
        ingress_rps: 1_000_000,
      },
    },
    rate_groups: { telegram: { bot: { rate_rps: 0 } } },
    bot_rules: Object.fromEntries(
      Array.from({ length: rules }, (_, n) => [
        `rule-${n}`,
        {
          pattern: {
            mode: modes[n % modes.length],
            keywords: Array.from({ length: keywordsOfRule }, (_each, k) => keyword(n, k)),
          },
          response_template: 'Вы спросили: {{text}}',
        },
      ]),
    ),
  };
  await applyWorkspace(admin, { document, prune: false, dryRun: false });
  // The bench asks more in a chat than a platform takes.
  await admin.query('update outrider.platforms set channel_rps = null');
  await admin.query('analyze');
  await admin.end();
}

/** A question of a dozen words, among them a keyword of the first ten rules, which every workspace has. */
export function question(number: number): string {
  const word = keyword(number % 10, number % keywordsOfRule);
  return `Здравствуйте, подскажите, пожалуйста: ${word} у вас можно завтра после шести вечера? Вопрос ${number}`;
}

const syllables = ['ба', 'ве', 'ги', 'до', 'жу', 'за', 'ки', 'ло', 'му', 'не'];

/** A word of five syllables that no other rule and no other word of a question has. */
function keyword(rule: number, place: number): string {
  const digits = String(10_000 + rule * keywordsOfRule + place).padStart(5, '0');
  return digits.replaceAll(/\d/g, (digit) => syllables[Number(digit)] ?? '');
}
