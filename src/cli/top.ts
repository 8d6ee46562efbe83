import { systemClock } from '../clock.ts';
import { isDumbTerminal } from '../config.ts';
import { openPool, type Queryable } from '../db/pool.ts';
import { inWorkspace, type Place } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { flag, readOptionsOnly, text } from './given/options.ts';
import { paint, terminalHeight, terminalWidth } from './screen/table.ts';
import { linesOf } from './top/draw.ts';
import { explained } from './top/explaining.ts';
import { type Filter, filterOf } from './top/filter.ts';
import { watchLive } from './top/live.ts';
import { printLooks } from './top/plain.ts';
import { openScreen } from './top/screen.ts';
import { sectionsOf } from './top/sections.ts';
import { firstState } from './top/state.ts';
import { readView } from './top/view.ts';

const usage = `outrider top [options]

What goes on in a workspace, live on the screen: the queue by status and how it changes, channels with their pace and
their next slot, what is being sent, errors of the last hour, open alerts, rate groups. Keys: q quits, ? shows the
others, / filters, Enter explains the chosen row. Without a terminal it prints a line for each look.

  --every S       looks every S seconds, 1 to 3600 (default: 2)
  --filter F      what / would be given: channel:tg-* platform:NAME status:retry, or any text
  --once          looks once and ends
  --workspace W   the workspace, where there are several (or OUTRIDER_WORKSPACE)
  --json          a JSON document in each line; errors are JSON, too`;

export const top: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, {
      every: text,
      filter: text,
      once: flag,
      workspace: text,
      json: flag,
    });
    const asked: Asked = {
      everyMs: everyMsOf(values.every),
      filter: soundFilter(values.filter ?? ''),
      isOnce: values.once,
      isJson: values.json,
    };
    await inWorkspace(terminal, values.workspace, (place) => shown(terminal, place, asked));
    return exitCodes.ok;
  },
};

interface Asked {
  readonly everyMs: number;
  readonly filter: string;
  readonly isOnce: boolean;
  readonly isJson: boolean;
}

function everyMsOf(given = '2'): number {
  const seconds = Number(given);
  if (given.trim() !== '' && seconds >= 1 && seconds <= 3600) return seconds * 1000;
  throw new UsageError(`--every ${given}: it is a number of seconds from 1 to 3600`);
}

function soundFilter(given: string): string {
  const { fault } = filterOf(given);
  if (fault === undefined) return given;
  throw new UsageError(`--filter: ${fault}`);
}

async function shown(terminal: Terminal, place: Place, asked: Asked): Promise<void> {
  // One connection that does not wait long: whoever looks wants to know that the database does not answer.
  const client = openPool({
    url: place.database.serviceUrl,
    applicationName: 'outrider top',
    max: 1,
    connectTimeoutMs: 5000,
    statementTimeoutMs: 3000,
    silenceMs: 1000,
  });
  try {
    const isPerson = terminal.isTty && !asked.isJson;
    if (isPerson && asked.isOnce) await printOnce(terminal, client, place.workspaceId, asked);
    else if (isPerson && process.stdin.isTTY && !isDumbTerminal()) {
      await showLive(client, place.workspaceId, asked);
    } else await printLines(terminal, client, place.workspaceId, asked);
  } finally {
    void client.end();
  }
}

async function showLive(client: Queryable, workspaceId: string, asked: Asked): Promise<void> {
  const screen = openScreen(process.stdin, process.stdout);
  try {
    await watchLive({
      screen,
      clock: systemClock,
      everyMs: asked.everyMs,
      filter: asked.filter,
      hasColours: process.stdout.hasColors(),
      read: (filter: Filter) => readView(client, workspaceId, filter),
      explain: (about, view) => explained(client, about, view),
    });
  } finally {
    await screen.close();
  }
}

/** The screen as it would be, in lines that stay. */
async function printOnce(
  terminal: Terminal,
  client: Queryable,
  workspaceId: string,
  { filter: typed, everyMs }: Asked,
): Promise<void> {
  const filter = filterOf(typed);
  const view = await readView(client, workspaceId, filter);
  const state = { ...firstState, filter: typed };
  const picture = {
    view,
    before: undefined,
    sections: sectionsOf(view, filter, state.order),
    state,
    explanation: [],
    filterFault: undefined,
    trouble: undefined,
    everyMs,
    widths: new Map<string, number[]>(),
  };
  const lines = linesOf(picture, { columns: terminalWidth(), rows: terminalHeight() });
  // Without the line of keys, and without what is blank above it.
  const last = lines.slice(0, -1).findLastIndex((each) => each.pieces.length > 0);
  for (const { pieces } of lines.slice(0, last + 1)) {
    const painted = pieces.map(({ text: shownText, colour }) =>
      colour === undefined ? shownText : paint(terminal, colour, shownText),
    );
    terminal.out(painted.join('').trimEnd());
  }
}

async function printLines(
  terminal: Terminal,
  client: Queryable,
  workspaceId: string,
  asked: Asked,
): Promise<void> {
  const filter = filterOf(asked.filter);
  // Without this, `outrider top | head -1` would go on for nobody.
  const gone = new Promise<void>((resolve) => void process.stdout.once('error', () => resolve()));
  await printLooks(terminal, {
    ...asked,
    clock: systemClock,
    gone,
    read: async () => (await readView(client, workspaceId, filter)).activity,
  });
}
