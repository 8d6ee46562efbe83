// Lists what the bots did with each message, and which replies could not be sent.

import { z } from 'zod';
import { type BotLogEntry, listBotLogs } from '../../db/bot.ts';
import { askingOptions, inWorkspace, limitOf } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { momentOf, spanOf } from '../given/moments.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { type List, printList } from '../screen/table.ts';
import { relative } from '../screen/times.ts';
import { platformOfChat } from './chats.ts';
import { ruleInWords } from './words.ts';

const options = {
  ...askingOptions,
  platform: text,
  errors: flag,
  since: text,
  until: text,
  limit: text,
} as const;

/** What a platform said to a send that failed. */
const Failed = z.object({ code: z.string(), message: z.string().default('') });

/** What --errors shows. */
const actionsOfErrors = ['retry', 'failed', 'dead', 'lease_expired'];

export async function logged(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const [chatId, ...more] = positionals;
  if (more.length > 0) throw new UsageError('name one chat, or none');
  const limit = limitOf(values.limit ?? '50');
  const [from, to] = [momentOf('since', values.since), momentOf('until', values.until)];
  const rows = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const { since, until } = await spanOf(place, from, to);
    const provider =
      values.platform ?? (chatId === undefined ? undefined : await platformOfChat(place, chatId));
    const actions = values.errors ? actionsOfErrors : undefined;
    return listBotLogs(client, { workspaceId, provider, chatId, actions, since, until, limit });
  });
  if (form === 'table' && rows.length === 0) terminal.out('There is nothing on record.');
  else printList(terminal, entryList(new Date()), rows, { form });
  return exitCodes.ok;
}

function entryList(now: Date): List<BotLogEntry> {
  return {
    fields: [
      'ts',
      'provider',
      'chatId',
      'action',
      'messageText',
      'ruleId',
      'ruleVersion',
      'stateBefore',
      'stateAfter',
      'responsePreview',
      'replyId',
      'replyStatus',
      'meta',
    ],
    columns: [
      { title: 'when', cell: (row) => relative(row.ts, now) },
      { title: 'chat', cell: (row) => row.chatId },
      { title: 'did', cell: (row) => row.action },
      { title: 'rule', cell: (row) => ruleInWords({ ...row, version: row.ruleVersion }) },
      { title: 'asked', shrinks: 20, cell: (row) => oneLine(row.messageText ?? '') },
      { title: 'answer', shrinks: 20, cell: (row) => oneLine(answerIn(row)) },
    ],
  };
}

/** The answer, and its status if it has not arrived; or why its send failed. */
function answerIn({ meta, responsePreview, replyStatus }: BotLogEntry): string {
  const failed = Failed.safeParse(meta['error']);
  if (failed.success) return `${failed.data.code}: ${failed.data.message}`;
  const said = responsePreview ?? '';
  return replyStatus === null || replyStatus === 'sent' ? said : `(${replyStatus}) ${said}`;
}
