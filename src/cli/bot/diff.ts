// Plays the recorded messages of a bot's chats against its present rules and against those of a file, and shows where
// the answers differ. Both see the same, masked messages, so that nothing but the rules makes a difference.

import {
  type BotDecision,
  type BotInput,
  type BotLogEntry,
  type BotState,
  decideBotTurn,
  listBotLogs,
} from '../../db/bot.ts';
import { inWorkspace, limitOf, type Place } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { type Moment, momentOf, spanOf } from '../given/moments.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { cutTo, oneLine } from '../screen/shown-text.ts';
import { paint, printJson } from '../screen/table.ts';
import { whileWaiting } from '../screen/waiting.ts';
import { type GivenRules, givenRules } from './rules.ts';
import { ruleInWords } from './words.ts';

interface Answer {
  readonly rule: string;
  readonly action: string;
  readonly state: string;
  readonly reply: string | null;
}

interface Changed {
  readonly ts: string;
  readonly provider: string;
  readonly chatId: string;
  readonly said: string;
  readonly before: Answer;
  readonly after: Answer;
}

interface Compared {
  readonly messages: number;
  readonly chats: number;
  readonly changed: readonly Changed[];
}

export async function compared(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = { workspace: text, since: text, limit: text, json: flag };
  const { values, positionals } = readOptions(args, options);
  const [file, ...more] = positionals;
  if (file === undefined) throw new UsageError('name the file with the rules');
  if (more.length > 0) throw new UsageError(`one file at a time, not also ${more.join(' ')}`);
  const limit = limitOf(values.limit ?? '200');
  const since = momentOf('since', values.since);
  const rules = await givenRules(file, terminal, values.workspace);
  const result = await inWorkspace(terminal, values.workspace ?? rules.workspaceId, (place) =>
    whileWaiting(terminal, 'playing the recorded messages', replay(place, rules, { since, limit })),
  );
  if (values.json) printJson(terminal, asJson(result));
  else print(terminal, result);
  return exitCodes.ok;
}

/** Every action of a turn; the others are about sending. */
const turnActions = ['matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent'];

interface Chat {
  before: BotState;
  after: BotState;
}

async function replay(
  place: Place,
  rules: GivenRules,
  { since: from, limit }: { readonly since: Moment | undefined; readonly limit: number },
): Promise<Compared> {
  const { client, workspaceId } = place;
  const { since } = await spanOf(place, from, undefined);
  const filter = { workspaceId, actions: turnActions, since, limit };
  const entries = (await listBotLogs(client, filter)).toReversed();
  const chats = new Map<string, Chat>();
  const changed: Changed[] = [];
  for (const entry of entries) {
    const key = JSON.stringify([entry.provider, entry.chatId]);
    const begin = { state: entry.stateBefore };
    const chat = chats.get(key) ?? { before: begin, after: begin };
    chats.set(key, chat);
    // The record says that the bot answered: whoever had taken the chat over has resumed it before.
    if (entry.action !== 'silent' && isHandedOver(chat.before)) {
      Object.assign(chat, { before: resumed(chat.before), after: resumed(chat.after) });
    }
    const at = entry.ts.toISOString();
    const asked = { workspaceId, input: inputOf(entry) };
    const before = await decideBotTurn(client, { ...asked, state: chat.before }, at);
    const { document } = rules;
    const after = await decideBotTurn(client, { ...asked, state: chat.after, document }, at);
    Object.assign(chat, { before: before.state, after: after.state });
    if (isSame(before, after)) continue;
    const { provider, chatId } = entry;
    const said = entry.messageText ?? asked.input.payload ?? asked.input.kind;
    const answers = { before: answerOf(before), after: answerOf(after) };
    changed.push({ ts: at, provider, chatId, said, ...answers });
  }
  return { messages: entries.length, chats: chats.size, changed };
}

function isHandedOver(state: BotState): boolean {
  return (state['handed_over_until'] ?? null) !== null;
}

function resumed(state: BotState): BotState {
  return { ...state, handed_over_at: null, handed_over_until: null };
}

function inputOf({ messageText, provider, meta }: BotLogEntry): BotInput {
  const { kind, payload } = meta;
  return {
    kind: kind === 'button' || kind === 'started' ? kind : 'message',
    text: messageText ?? undefined,
    payload: typeof payload === 'string' ? payload : undefined,
    provider,
  };
}

/** Whether the person would notice no difference, now or later. */
function isSame(one: BotDecision, other: BotDecision): boolean {
  return (
    JSON.stringify(one.reply) === JSON.stringify(other.reply) &&
    one.stateAfter === other.stateAfter &&
    one.escalate === other.escalate
  );
}

function answerOf(decision: BotDecision): Answer {
  const { action, stateAfter, reply } = decision;
  return { rule: ruleInWords(decision), action, state: stateAfter, reply: reply?.text ?? null };
}

function asJson({ messages, chats, changed }: Compared): object {
  const rows = changed.map(({ chatId, ...row }) => ({ ...row, chat_id: chatId }));
  return { messages, chats, changed: rows };
}

function print(terminal: Terminal, { messages, chats, changed }: Compared): void {
  for (const { ts, provider, chatId, said, before, after } of changed) {
    terminal.out(`${ts}  ${provider} ${oneLine(chatId)}  "${cutTo(oneLine(said), 100)}"`);
    terminal.out(paint(terminal, 'red', `  - ${inWords(before)}`));
    terminal.out(paint(terminal, 'green', `  + ${inWords(after)}`));
  }
  if (messages === 0) {
    terminal.out('No messages are recorded for this time.');
    return;
  }
  terminal.out(
    `${changed.length} of ${messages} answers would be different (chats: ${chats}). Nothing was changed.`,
  );
}

function inWords({ rule, action, state, reply }: Answer): string {
  const shown = reply === null ? 'no answer' : `"${cutTo(oneLine(reply), 80)}"`;
  return `${rule} (${action}, state ${state}): ${shown}`;
}
