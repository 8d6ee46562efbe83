// A conversation with a bot in the terminal. Nothing is written and nothing is sent.

import { type BotDecision, type BotInput, type BotState, decideBotTurn } from '../../db/bot.ts';
import { inWorkspace, type Place } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { flag, readOptionsOnly, text } from '../given/options.ts';
import { lines } from '../screen/shown-text.ts';
import { inSchemaNames, paint, printJson } from '../screen/table.ts';
import { type GivenRules, givenRules } from './rules.ts';
import { buttonsInWords, ruleInWords } from './words.ts';

interface Chat {
  readonly place: Place;
  readonly rules: GivenRules | undefined;
  readonly name: string | undefined;
  state: BotState | undefined;
  /** What the last answer showed. */
  buttons: readonly { readonly text: string; readonly payload: string }[];
}

export async function chatted(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, { workspace: text, rules: text, name: text, json: flag });
  if (values.json && terminal.canAsk) {
    throw new UsageError('--json is for messages from standard input, one in each line');
  }
  if (values.rules === '-') throw new UsageError('--rules -: standard input holds the messages');
  const { workspace, rules: file, name } = values;
  const rules = file === undefined ? undefined : await givenRules(file, terminal, workspace);
  await inWorkspace(terminal, workspace ?? rules?.workspaceId, async (place) => {
    const chat: Chat = { place, rules, name, state: undefined, buttons: [] };
    if (terminal.canAsk) await converse(terminal, chat);
    else await answerAll(terminal, chat, values.json);
  });
  return exitCodes.ok;
}

async function converse(terminal: Terminal, chat: Chat): Promise<void> {
  terminal.err('Nothing is written. An empty line ends the conversation.');
  for (;;) {
    const line = await terminal.ask('>');
    if (line.trim() === '') return;
    const decision = await turn(chat, line);
    if (decision === undefined) terminal.out('(a new chat)');
    else show(terminal, decision);
  }
}

async function answerAll(terminal: Terminal, chat: Chat, json: boolean): Promise<void> {
  const given = (await terminal.input()).split('\n').filter((line) => line.trim() !== '');
  const turns: object[] = [];
  for (const line of given) {
    const decision = await turn(chat, line);
    if (json) turns.push({ said: line, ...(decision === undefined ? {} : asJson(decision)) });
    else {
      terminal.out(`> ${line}`);
      if (decision !== undefined) show(terminal, decision);
    }
  }
  if (json) printJson(terminal, turns);
}

/** Undefined: a new chat was begun. */
async function turn(chat: Chat, line: string): Promise<BotDecision | undefined> {
  if (line.trim() === '/new') {
    Object.assign(chat, { state: undefined, buttons: [] });
    return undefined;
  }
  const { place, rules, state } = chat;
  const decision = await decideBotTurn(place.client, {
    workspaceId: place.workspaceId,
    state,
    input: inputOf(chat, line.trim()),
    document: rules?.document,
  });
  chat.state = decision.state;
  chat.buttons = (decision.reply?.buttons ?? []).flat().filter((each) => 'payload' in each);
  return decision;
}

function inputOf({ buttons, name }: Chat, line: string): BotInput {
  const sender = name === undefined ? undefined : { name };
  if (line === '/start') return { kind: 'started', sender };
  const pressed = buttons.find((each) => each.text.toLowerCase() === line.toLowerCase());
  if (pressed !== undefined) return { kind: 'button', payload: pressed.payload, sender };
  return { kind: 'message', text: line, sender };
}

function show(terminal: Terminal, decision: BotDecision): void {
  const { reply, action, stateBefore, stateAfter, why, nextBest, escalate } = decision;
  if (reply === null) terminal.out('  (the bot says nothing)');
  else
    for (const line of [...lines(reply.text), ...buttonsInWords(reply)]) terminal.out(`  ${line}`);
  const state = stateBefore === stateAfter ? stateAfter : `${stateBefore} → ${stateAfter}`;
  const note = (line: string): void => terminal.out(paint(terminal, 'gray', `    ${line}`));
  note(`${action}: ${ruleInWords(decision)} · state ${state}`);
  note(why);
  if (nextBest !== null) note(`otherwise: ${nextBest.why}`);
  if (escalate) note('a person would be told, and the bot stays silent; /new begins a new chat');
}

function asJson({ nextBest, ...decision }: BotDecision): object {
  const next = nextBest === null ? null : inSchemaNames(nextBest);
  return { ...inSchemaNames(decision), next_best: next };
}
