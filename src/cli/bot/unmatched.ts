// What people wrote and no rule matched, for the author of the rules.

import { type UnmatchedTexts, unmatchedBotTexts } from '../../db/bot.ts';
import { askingOptions, inWorkspace, limitOf } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { momentOf, spanOf } from '../given/moments.ts';
import { readOptionsOnly, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { type List, printList } from '../screen/table.ts';
import { relative } from '../screen/times.ts';

export async function unmatched(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, { ...askingOptions, since: text, limit: text });
  const form = formOf(terminal, values);
  const limit = limitOf(values.limit ?? '50');
  const from = momentOf('since', values.since);
  const rows = await inWorkspace(terminal, values.workspace, async (place) => {
    const { since } = await spanOf(place, from, undefined);
    return unmatchedBotTexts(place.client, { workspaceId: place.workspaceId, since, limit });
  });
  if (form === 'table' && rows.length === 0) terminal.out('Every message was matched by a rule.');
  else printList(terminal, textList(new Date()), rows, { form });
  return exitCodes.ok;
}

function textList(now: Date): List<UnmatchedTexts> {
  return {
    fields: ['count', 'chats', 'lastAt', 'example', 'texts'],
    columns: [
      { title: 'times', align: 'right', cell: (row) => String(row.count) },
      { title: 'chats', align: 'right', cell: (row) => String(row.chats) },
      { title: 'last', cell: (row) => relative(row.lastAt, now) },
      { title: 'for example', shrinks: 40, cell: (row) => row.example },
      { title: 'ways to say it', align: 'right', cell: (row) => String(row.texts.length) },
    ],
  };
}
