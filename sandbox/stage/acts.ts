// What can be done on the stage. Each act takes a form, and answers with what it came to.

import { z } from 'zod';
import type { MovableClock } from '../clock.ts';
import type { Simulator } from '../simulator.ts';
import { readPost } from './post-form.ts';
import type { Said, StageState } from './state.ts';
import { flip } from './switches.ts';

type Form = Readonly<Record<string, string>>;
type Act = (state: StageState, form: Form) => Promise<Said> | Said;

const good = (words: string): Said => ({ words, isGood: true });

const Place = z.object({ platform: z.string(), chat: z.string() });
const Words = Place.extend({ text: z.string().trim().min(1, 'Write something first.') });
const Press = Place.extend({ press: z.string() });
const Switch = z.object({ fault: z.string() });
const Ahead = z.object({
  ahead: z.coerce
    .number()
    .int()
    .positive()
    .max(366 * 24 * 3600),
});

const acts: Readonly<Record<string, Act>> = {
  async post({ outrider, url }, form) {
    if (outrider === undefined) throw new Error('No Outrider is connected to this sandbox.');
    const endpoint = form['endpoint'] ?? outrider.endpoints[0] ?? '';
    if (!outrider.endpoints.includes(endpoint)) {
      throw new Error(`There is no endpoint ${JSON.stringify(endpoint)} here.`);
    }
    const { isTaken, words } = await outrider.push(endpoint, readPost(form, url));
    return { words, isGood: isTaken };
  },
  say(state, form) {
    const { platform, chat, text } = Words.parse(form);
    personOf(state, platform).say(chat, text);
    return good('Written.');
  },
  press(state, form) {
    const { platform, chat, press } = Press.parse(form);
    const [, post = '', row = '', column = ''] = /^(.*)\/(\d+)\/(\d+)$/s.exec(press) ?? [];
    const shown = simulatorOf(state, platform)
      .chats()
      .find((each) => each.chat === chat);
    const button = shown?.posts.find(({ id }) => id === post)?.buttons[Number(row)]?.[
      Number(column)
    ];
    if (button?.payload === undefined) throw new Error('There is no such button any more.');
    personOf(state, platform).press(chat, post, button.payload);
    return good(`Pressed "${button.text}".`);
  },
  fault(state, form) {
    const [kind = '', platform = ''] = Switch.parse(form).fault.split(' ');
    return good(flip(state, kind, platform));
  },
  clear({ faults }) {
    faults.clear();
    return good('All faults are off.');
  },
  async resume({ outrider }) {
    if (outrider === undefined) throw new Error('No Outrider is connected to this sandbox.');
    return good(await outrider.resume());
  },
  clock({ clock }, form) {
    const { ahead } = Ahead.parse(form);
    if (!isMovable(clock)) throw new Error('This clock cannot be moved.');
    clock.advance(ahead * 1000);
    return good(`The clock of the platforms shows ${new Date(clock.now()).toISOString()}.`);
  },
};

export function actOf(name: string): Act | undefined {
  return Object.hasOwn(acts, name) ? acts[name] : undefined;
}

export function isMovable(clock: StageState['clock']): clock is MovableClock {
  return 'advance' in clock;
}

function simulatorOf({ simulators }: StageState, platform: string): Simulator {
  const found = simulators.find((each) => each.platform === platform);
  if (found === undefined)
    throw new Error(`There is no platform ${JSON.stringify(platform)} here.`);
  return found;
}

function personOf(state: StageState, platform: string): NonNullable<Simulator['person']> {
  const { person } = simulatorOf(state, platform);
  if (person === undefined) throw new Error(`Nobody can write to a bot on ${platform} here.`);
  return person;
}
