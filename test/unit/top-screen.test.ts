import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../src/cli/top/cells.ts';
import { linesOf } from '../../src/cli/top/draw.ts';
import { filterOf } from '../../src/cli/top/filter.ts';
import type { Picture } from '../../src/cli/top/picture.ts';
import { sectionsOf } from '../../src/cli/top/sections.ts';
import { firstState, pressed, type State } from '../../src/cli/top/state.ts';
import type { ShownActivity } from '../../src/db/activity-rows.ts';
import type { ListedDelivery } from '../../src/db/delivery-rows.ts';
import { activityWith, ahead, busyActivity, channelNamed } from '../support/cli/activities.ts';

function pictureOf(activity: ShownActivity, given: Partial<Picture> = {}): Picture {
  const view = { activity, deliveries: undefined };
  const { state = firstState } = given;
  const filter = filterOf(state.filter);
  return {
    view,
    before: undefined,
    sections: sectionsOf(view, filter, state.order),
    state,
    explanation: [],
    filterFault: filter.fault,
    trouble: undefined,
    everyMs: 2000,
    widths: new Map(),
    ...given,
  };
}

/** The screen as text, without blanks at the ends of lines. */
function screenOf(picture: Picture, columns = 80, rows = 24): string[] {
  return linesOf(picture, { columns, rows }).map((line) =>
    cellsOf(line, { width: columns, hasColours: true })
      .map((each) => each.text)
      .join('')
      .trimEnd(),
  );
}

function deliveryWith(text: string): ListedDelivery {
  const at = new Date(ahead(-9));
  return {
    deliveryId: '0198c0de-7d2a-7e3f-89e2-553500000001',
    messageId: '0198c0de-7d2a-7e3f-89e2-553500000002',
    channelId: 'news',
    status: 'sent',
    attempt: 1,
    notBefore: at,
    nextRetryAt: null,
    sentAt: at,
    failedAt: null,
    providerMessageId: '7',
    errorCode: null,
    errorMessage: null,
    nextBecause: null,
    nextAt: null,
    nextReason: null,
    createdAt: at,
    traceId: 'trace',
    text,
  };
}

function afterKeys(picture: Picture, ...keys: string[]): State {
  const names = ['enter', 'escape', 'tab', 'up', 'down', 'end', 'page_down', 'backspace'] as const;
  return keys.reduce<State>((state, key) => {
    const name = names.find((each) => each === key);
    const { sections } = pictureOf(picture.view?.activity ?? activityWith(), { state });
    return pressed(state, name === undefined ? { typed: key } : { name }, {
      sections,
      page: 5,
      scrollEnd: 99,
    }).state;
  }, picture.state);
}

describe('the screen', () => {
  it('has every list at 80×24: queue, channels, sends, errors, alerts, rate groups', () => {
    const screen = screenOf(
      pictureOf(busyActivity(), {
        before: {
          activity: busyActivity({
            queue: { due: 1200, scheduled: 33, retrying: 6, claimed: 2, sending: 1 },
          }),
          deliveries: undefined,
        },
      }),
    );
    expect(screen).toHaveLength(24);
    const text = screen.join('\n');
    expect(text).toContain('outrider top · city (City news) is active');
    expect(text).toContain('1,204 due ▲4 · 33 scheduled · 5 retrying ▼1 · 2 claimed · 1 sending');
    expect(text).toContain('84 sent in the last minute · 2 retried · 1 deduped · 1 process sends');
    expect(text).toContain('1 open · 1 paused');
    expect(text).toMatch(/^▸ pets +paused 1 h 2 min +3 +0\/4 +0 of 36 +– +2/m);
    expect(text).toMatch(/^ {2}news +open +1,000\+ +1\/4 +28 of 36 +in 2 s +0/m);
    expect(text).toMatch(/^ {2}00000001 +news +1 +3 s +alive +Lost: a ginger dog$/m);
    expect(text).toMatch(/^ {2}20 s ago +12 +pets +403: Forbidden: bot was kicked$/m);
    expect(text).toMatch(/^ {2}critical +10 min ago +open +channel "pets" is paused$/m);
    expect(text).toMatch(/^ {2}telegram\/bot +cooling 20 s +2 +up to 1,050 +– +429: Too Many/m);
    expect(screen.at(-1)).toContain('q quit · ? help · / filter');
  });

  it('tells channels apart by their ids before it shows their titles', () => {
    const title = 'Lost and found pets of the city and the region';
    const ids = ['tg-spb-lost-cats', 'tg-spb-lost-dogs'];
    const channels = ids.map((id) => channelNamed(id, { title }));
    const screen = screenOf(pictureOf(activityWith({ channels }))).join('\n');
    for (const id of ids) expect(screen).toContain(id);
  });

  it('masks personal data in the texts of deliveries', () => {
    const state = { ...firstState, filter: 'status:sent' };
    const filter = filterOf(state.filter);
    const view = { activity: busyActivity(), deliveries: [deliveryWith('Call +7 916 123-45-67')] };
    const sections = sectionsOf(view, filter, state.order);
    const screen = screenOf(pictureOf(busyActivity(), { view, sections, state }), 160, 24);
    expect(screen.join('\n')).toContain('Call [phone]');
    expect(screen.join('\n')).not.toContain('916');
  });

  it('has the lists in two columns at 200×60', () => {
    const screen = screenOf(pictureOf(busyActivity()), 200, 60);
    expect(screen).toHaveLength(60);
    const line = screen.find((each) => each.includes('▸ channels 2'));
    expect(line).toMatch(/▸ channels 2 .* │ {3}sending 1/);
  });

  it('has as many lines and columns as there are, however few', () => {
    for (const panel of [undefined, { kind: 'help' as const, from: 3 }]) {
      for (const columns of [1, 2, 3, 10, 39, 79, 149, 150, 300]) {
        for (const rows of [1, 2, 3, 5, 7, 12, 16, 40]) {
          const picture = pictureOf(busyActivity(), { state: { ...firstState, panel } });
          const lines = linesOf(picture, { columns, rows });
          expect(lines).toHaveLength(rows);
        }
      }
    }
  });

  it('gives the list that has the focus the most rows, and the others some', () => {
    const channels = Array.from({ length: 40 }, (_, n) => channelNamed(`c${n}`));
    const errors = Array.from({ length: 40 }, (_, n) => ({
      ...busyActivity().errors[0],
      message: `e${n}`,
      last_at: ahead(-1),
    }));
    const many = activityWith({
      channels,
      errors,
      channel_states: { ...activityWith().channel_states, open: 40 },
    });
    const counts = (state: State): number[] => {
      const text = screenOf(pictureOf(many, { state })).join('\n');
      return [(text.match(/ c\d+ /g) ?? []).length, (text.match(/403: e\d/g) ?? []).length];
    };
    const [channelsFirst = 0, errorsSecond = 0] = counts(firstState);
    expect(channelsFirst).toBeGreaterThan(errorsSecond);
    expect(errorsSecond).toBeGreaterThan(0);
    const [channelsSecond = 0, errorsFirst = 0] = counts({ ...firstState, focus: 'errors' });
    expect(errorsFirst).toBeGreaterThan(channelsSecond);
  });

  it('shows nothing that a terminal would obey, whoever named a channel or wrote an error', () => {
    const evil = 'x\u001b]0;owned\u0007\u009b2J\u202e\u001b[31m';
    const activity = busyActivity({
      name: evil,
      channels: [channelNamed(evil, { title: evil, reason: evil })],
      errors: [
        {
          ...busyActivity().errors[0],
          channel_id: evil,
          code: evil,
          message: evil,
          last_at: ahead(-1),
        },
      ],
    });
    const state = { ...firstState, filter: '' };
    const lines = linesOf(pictureOf(activity, { state, trouble: { words: evil } }), {
      columns: 200,
      rows: 60,
    });
    const cells = lines.flatMap((line) => cellsOf(line, { width: 200, hasColours: true }));
    expect(cells.filter((each) => /[\p{Cc}\u202e]/u.test(each.text))).toEqual([]);
    expect(cells.map((each) => each.text).join('')).toContain('x ]0;owned');
  });

  it('says that the database is gone and goes on to show what was known', () => {
    const text = screenOf(
      pictureOf(busyActivity(), { trouble: { words: 'the database cannot be reached' } }),
    ).join('\n');
    expect(text).toContain('the database cannot be reached');
    expect(text).toContain('1,204 due');
  });

  it('says that nobody sends what is due', () => {
    const lying = {
      senders: 0,
      queue: { ...busyActivity().queue, sending: 0 },
      lately: { ...busyActivity().lately, since: ahead(-60), sent: 0 },
    };
    expect(screenOf(pictureOf(busyActivity(lying))).join('\n')).toContain('no dispatcher runs');
    expect(screenOf(pictureOf(busyActivity({ senders: 0 }))).join('\n')).not.toContain(
      'no dispatcher',
    );
  });

  it('does not move its columns when a value gets shorter', () => {
    const widths = new Map<string, number[]>();
    const at = (waiting: number): number => {
      const activity = activityWith({
        channels: [channelNamed('news', { state: waiting > 5 ? 'cooling_down' : 'open', waiting })],
      });
      const line =
        screenOf(pictureOf(activity, { widths })).find((each) => each.includes('news')) ?? '';
      return line.indexOf('0/4');
    };
    expect([at(100), at(1)].map((each, _, [first]) => each === first)).toEqual([true, true]);
  });
});

describe('keys', () => {
  it('filter all lists by text, and take the filter away', () => {
    const picture = pictureOf(busyActivity());
    const state = afterKeys(picture, '/', 'K', 'I', 'C', 'K', 'enter');
    expect(state.filter).toBe('KICK');
    const text = screenOf(pictureOf(busyActivity(), { state })).join('\n');
    expect(text).toMatch(/channels 1 /);
    expect(text).not.toMatch(/^.. ?news +open/m);
    expect(text).toContain('filter: KICK');
    expect(afterKeys(pictureOf(busyActivity(), { state }), 'escape').filter).toBe('');
  });

  it('leave the old filter when the new one is not taken', () => {
    expect(afterKeys(pictureOf(busyActivity()), '/', 'x', 'escape')).toEqual(firstState);
    expect(afterKeys(pictureOf(busyActivity()), '/', 'x', 'ж', 'backspace').typed).toBe('x');
  });

  it('move within a list, between lists, and stay with their row when it moves', () => {
    const picture = pictureOf(busyActivity());
    const state = afterKeys(picture, 'down');
    expect(state.chosen.channels).toBe('news');
    expect(afterKeys(picture, 'down', 'down', 'j').chosen.channels).toBe('news');
    expect(afterKeys(picture, 'tab', 'tab').focus).toBe('errors');
    expect(afterKeys(picture, '5').focus).toBe('groups');
    const { channels } = busyActivity();
    const turned = busyActivity({
      channels: channels.toReversed().map((each) => channelNamed(each.channel_id)),
    });
    expect(screenOf(pictureOf(turned, { state })).join('\n')).toMatch(/^▸ news/m);
  });

  it('page through a list that is longer than its place', () => {
    const channels = Array.from({ length: 60 }, (_, n) =>
      channelNamed(`c${String(n).padStart(2, '0')}`),
    );
    const picture = pictureOf(activityWith({ channels }));
    const last = screenOf({ ...picture, state: afterKeys(picture, 'end') }).join('\n');
    expect(last).toMatch(/^▸ c59/m);
    expect(last).not.toMatch(/c00/);
  });

  it('order the channels', () => {
    const picture = pictureOf(busyActivity());
    const order = (state: State): string[] =>
      screenOf(pictureOf(busyActivity(), { state }))
        .join('\n')
        .match(/^.. ?(?:news|pets) /gm) ?? [];
    expect(order(afterKeys(picture, 's')).map((each) => each.slice(2).trim())).toEqual([
      'news',
      'pets',
    ]);
  });

  it('open and scroll the help', () => {
    const picture = pictureOf(busyActivity());
    const opened = afterKeys(picture, '?');
    const text = screenOf({ ...picture, state: opened }, 80, 16).join('\n');
    expect(text).toContain('Keys');
    expect(text).toMatch(/\d+ more lines/);
    const end = screenOf(
      {
        ...picture,
        state: afterKeys({ ...picture, state: opened }, ...Array<string>(30).fill('page_down')),
      },
      80,
      16,
    );
    expect(end.join('\n')).toContain('counting stopped');
    expect(afterKeys({ ...picture, state: opened }, 'q').panel).toBeUndefined();
  });

  it('explain the row that is chosen', () => {
    const picture = pictureOf(busyActivity());
    expect(afterKeys(picture, '3', 'enter').panel).toMatchObject({
      kind: 'explanation',
      about: { kind: 'delivery', deliveryId: '0198c0de-7d2a-7e3f-89e2-000000000003' },
    });
    expect(afterKeys(picture, 'enter').panel).toMatchObject({
      about: { kind: 'channel', channel: { channel_id: 'pets' } },
    });
  });

  it('quit, pause, suspend and interrupt', () => {
    const seen = { sections: [], page: 5, scrollEnd: 0 };
    expect(pressed(firstState, { typed: 'q' }, seen).effect).toBe('quit');
    expect(pressed(firstState, { typed: ' ' }, seen).state.isPaused).toBe(true);
    expect(pressed({ ...firstState, typed: 'x' }, { name: 'ctrl_c' }, seen).effect).toBe(
      'interrupt',
    );
    expect(pressed(firstState, { name: 'ctrl_z' }, seen).effect).toBe('suspend');
    expect(pressed({ ...firstState, typed: '' }, { typed: 'q' }, seen)).toEqual({
      state: { ...firstState, typed: 'q' },
    });
  });
});

describe('a filter', () => {
  it('names channels, a platform, states of deliveries, and words', () => {
    expect(
      filterOf('channel:tg-* channel:pets platform:vk status:retry status:failed Dog'),
    ).toEqual({
      channels: ['tg-*', '*pets*'],
      platform: 'vk',
      statuses: ['retry', 'failed_permanent', 'dead'],
      words: ['dog'],
      fault: undefined,
    });
  });

  it.each([
    ['status:lost', 'status:lost: a delivery is queued, claimed'],
    ['status:faild', 'status:faild: did you mean failed?'],
    ['platform:vk platform:max', 'one platform at a time'],
  ])('that makes no sense says so: %s', (typed, words) => {
    expect(filterOf(typed).fault).toContain(words);
  });
});
