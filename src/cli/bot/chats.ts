// The chats of the bots, and which one a command means.

import { type ListedChat, listBotChats } from '../../db/bot.ts';
import { NotFoundError } from '../../errors.ts';
import { askingOptions, inWorkspace, limitOf, type Place } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { flag, readOptionsOnly, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { type List, printList } from '../screen/table.ts';
import { relative } from '../screen/times.ts';

/** The platform of a chat, among all of them or among those that are handed over. */
export async function platformOfChat(
  { client, workspaceId }: Place,
  chatId: string,
  handedOver?: true,
): Promise<string> {
  const asked = { workspaceId, handedOver, limit: 10 };
  const [found, ...others] = await listBotChats(client, { ...asked, chatId });
  if (found === undefined) {
    const known = await listBotChats(client, asked);
    const ids = known.map((each) => `${each.chatId} (${each.provider})`);
    const isWhat = handedOver ? 'is handed over' : 'is known';
    throw new NotFoundError(`no chat ${chatId} ${isWhat}`, {
      hint: ids.length === 0 ? 'no chat is' : `the latest that are: ${ids.join(', ')}`,
    });
  }
  if (others.length > 0) throw new UsageError(`there are several chats ${chatId}: say --platform`);
  return found.provider;
}

export async function listedChats(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, { ...askingOptions, 'handed-over': flag, limit: text });
  const form = formOf(terminal, values);
  const limit = limitOf(values.limit ?? '50');
  const handedOver = values['handed-over'] ? true : undefined;
  const rows = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
    listBotChats(client, { workspaceId, handedOver, limit }),
  );
  if (form === 'table' && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, chatList(new Date()), rows, { form });
  return exitCodes.ok;
}

function chatList(now: Date): List<ListedChat> {
  return {
    fields: [
      'provider',
      'chatId',
      'state',
      'context',
      'openedBy',
      'expiresAt',
      'handedOverAt',
      'handedOverUntil',
      'waitingReplies',
      'updatedAt',
    ],
    columns: [
      { title: 'chat', cell: (row) => row.chatId },
      { title: 'platform', cell: (row) => row.provider },
      { title: 'state', cell: (row) => row.state },
      { title: 'answered by', cell: (row) => whoAnswers(row, now) },
      { title: 'answers waiting', align: 'right', cell: (row) => String(row.waitingReplies) },
      { title: 'last', cell: (row) => relative(row.updatedAt, now) },
    ],
  };
}

function whoAnswers({ handedOverAt, handedOverUntil }: ListedChat, now: Date): string {
  if (handedOverAt === null || handedOverUntil === null) return 'the bot';
  const end = new Date(handedOverUntil);
  if (Number.isNaN(end.getTime())) return 'a person, until the chat is resumed';
  return end > now ? `a person, until ${relative(end, now)}` : 'the bot';
}
