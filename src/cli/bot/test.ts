// Plays golden dialogues against the rules of a bot, and says where it does something else.

import { type BotDecision, type BotState, decideBotTurn } from '../../db/bot.ts';
import { databaseTime } from '../../db/health.ts';
import { inWorkspace, type Place } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { oneLine } from '../screen/shown-text.ts';
import { paint, printJson } from '../screen/table.ts';
import { type Dialogue, type DialogueTurn, readDialogues } from './dialogues.ts';
import { type GivenRules, givenRules } from './rules.ts';
import { ruleInWords } from './words.ts';

interface Difference {
  /** The place of the turn in its dialogue, from 1. */
  readonly turn: number;
  readonly said: string;
  readonly expected: string;
  readonly got: string;
  readonly why: string;
}

interface Played {
  readonly name: string;
  readonly turns: number;
  readonly differences: readonly Difference[];
}

export async function tested(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = { workspace: text, rules: text, json: flag };
  const { values, positionals } = readOptions(args, options);
  const [file, ...more] = positionals;
  if (file === undefined) throw new UsageError('name the file with the dialogues');
  if (more.length > 0) throw new UsageError(`one file at a time, not also ${more.join(' ')}`);
  const { workspace, rules: rulesFile } = values;
  const dialogues = await readDialogues(file, terminal);
  const rules =
    rulesFile === undefined ? undefined : await givenRules(rulesFile, terminal, workspace);
  const played = await inWorkspace(terminal, workspace ?? rules?.workspaceId, async (place) => {
    const begin = await databaseTime(place.client);
    const all: Played[] = [];
    for (const dialogue of dialogues) all.push(await play(place, rules, dialogue, begin));
    return all;
  });
  if (values.json) printJson(terminal, { dialogues: played });
  else print(terminal, played);
  return played.some(isDifferent) ? exitCodes.failed : exitCodes.ok;
}

async function play(
  { client, workspaceId }: Place,
  rules: GivenRules | undefined,
  { name, person, turns }: Dialogue,
  begin: Date,
): Promise<Played> {
  const differences: Difference[] = [];
  let state: BotState | undefined;
  let now = begin.getTime();
  for (const [n, expected] of turns.entries()) {
    now += expected.after ?? 1000;
    const decision: BotDecision = await decideBotTurn(
      client,
      { workspaceId, state, input: inputOf(expected, person), document: rules?.document },
      new Date(now).toISOString(),
    );
    ({ state } = decision);
    const said = expected.say ?? expected.press ?? 'start';
    for (const each of differencesIn(expected, decision)) {
      differences.push({ turn: n + 1, said, ...each, why: decision.why });
    }
  }
  return { name, turns: turns.length, differences };
}

function inputOf({ say, press }: DialogueTurn, person: string | undefined) {
  const sender = person === undefined ? undefined : { name: person };
  if (say !== undefined) return { kind: 'message' as const, text: say, sender };
  if (press !== undefined) return { kind: 'button' as const, payload: press, sender };
  return { kind: 'started' as const, sender };
}

type Mismatch = Pick<Difference, 'expected' | 'got'>;

function differencesIn(expected: DialogueTurn, decision: BotDecision): Mismatch[] {
  const { rule, intent, action, state, reply, buttons = [] } = expected;
  const labels = (decision.reply?.buttons ?? []).flat().map((each) => each.text);
  const wrong: Mismatch[] = [];
  const same = (
    name: string,
    wanted: string | null | undefined,
    got: string | null,
    shown = got,
  ): void => {
    if (wanted === undefined || wanted === got) return;
    wrong.push({ expected: `${name} ${wanted ?? 'none'}`, got: `${name} ${shown ?? 'none'}` });
  };
  same('rule', rule, decision.ruleId, ruleInWords(decision));
  same('intent', intent, decision.intent);
  same('action', action, decision.action);
  same('state', state, decision.stateAfter);
  if (reply === null) same('reply', null, decision.reply?.text ?? null);
  for (const part of reply ?? []) {
    const got = decision.reply?.text ?? 'none';
    if (!got.includes(part)) wrong.push({ expected: `reply with "${part}"`, got: `reply ${got}` });
  }
  for (const label of buttons) {
    if (labels.includes(label)) continue;
    const got = labels.length === 0 ? 'no buttons' : `buttons ${labels.join(', ')}`;
    wrong.push({ expected: `button ${label}`, got });
  }
  return wrong;
}

function isDifferent({ differences }: Played): boolean {
  return differences.length > 0;
}

function print(terminal: Terminal, played: readonly Played[]): void {
  for (const { name, turns, differences } of played) {
    const isRight = differences.length === 0;
    const sign = isRight ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
    terminal.out(`${sign} ${oneLine(name)} (${turns} ${turns === 1 ? 'turn' : 'turns'})`);
    for (const { turn, said, expected, got, why } of differences) {
      terminal.out(`    turn ${turn}, "${oneLine(said)}"`);
      terminal.out(`      expected ${oneLine(expected)}`);
      terminal.out(`      got      ${oneLine(got)}`);
      terminal.out(paint(terminal, 'gray', `      because  ${oneLine(why)}`));
    }
  }
  const failed = played.filter(isDifferent).length;
  const all = played.length === 1 ? '1 dialogue' : `${played.length} dialogues`;
  terminal.out(failed === 0 ? `${all}, as expected.` : `${failed} of ${all} went differently.`);
}
