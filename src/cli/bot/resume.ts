// Lets a bot answer again in a chat that was handed over to a person.

import { resumeBotChat } from '../../db/bot.ts';
import { askingOptions, inWorkspace, withHint } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { operatorOptions, orderOf } from '../given/operator.ts';
import { readOptions, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';
import { platformOfChat } from './chats.ts';

const options = { ...askingOptions, ...operatorOptions, platform: text } as const;

export async function resumed(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const [chatId, ...more] = positionals;
  if (chatId === undefined || more.length > 0) {
    throw new UsageError('which chat? outrider bot chats --handed-over lists them');
  }
  const order = orderOf(values);
  const answer = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const provider = values.platform ?? (await platformOfChat(place, chatId, true));
    return withHint(
      resumeBotChat(client, { workspaceId, provider, chatId, ...order }),
      'outrider bot --help says more',
    );
  });
  if (form === 'json') printJson(terminal, inSchemaNames(answer));
  else if (!answer.resumed) terminal.err(`chat ${chatId}: ${answer.note ?? 'it was left alone'}`);
  else {
    const would = order.dryRun ? 'would answer' : 'answers';
    terminal.out(`the bot ${would} again in chat ${chatId} of ${answer.provider}`);
  }
  return answer.resumed ? exitCodes.ok : exitCodes.failed;
}
