// What somebody at the keys has chosen to see, and what each key changes of it.
//
//   lists   the usual state: keys move, sort, pause; / begins to type, ? and Enter open a panel
//   typing  a filter is being typed; Enter takes it, Escape leaves the old one
//   panel   help or an explanation lies over the lists; keys scroll it, Escape closes it

import { graphemesOf } from '../screen/shown-text.ts';
import type { Key } from './keys.ts';
import {
  type About,
  type Order,
  orders,
  type Section,
  type SectionName,
  sectionNames,
} from './sections.ts';

export type Panel = {
  /** The first line that is shown. */
  readonly from: number;
} & ({ readonly kind: 'help' } | { readonly kind: 'explanation'; readonly about: About });

export interface State {
  readonly focus: SectionName;
  /** The chosen row of each list, by its id, so that it stays chosen when rows come and go. */
  readonly chosen: Readonly<Partial<Record<SectionName, string>>>;
  readonly filter: string;
  /** The filter that is being typed. */
  readonly typed: string | undefined;
  readonly panel: Panel | undefined;
  readonly isPaused: boolean;
  readonly order: Order;
}

export const firstState: State = {
  focus: 'channels',
  chosen: {},
  filter: '',
  typed: undefined,
  panel: undefined,
  isPaused: false,
  order: 'state',
};

/** What is to be done besides showing the new state. */
export type Effect = 'quit' | 'interrupt' | 'suspend' | 'repaint' | 'read' | 'explain';

export interface Pressed {
  readonly state: State;
  readonly effect?: Effect | undefined;
}

export interface Seen {
  readonly sections: readonly Section[];
  /** How many lines a page has. */
  readonly page: number;
  /** How far down the panel can be scrolled. */
  readonly scrollEnd: number;
}

export function pressed(state: State, key: Key, seen: Seen): Pressed {
  if ('name' in key) {
    if (key.name === 'ctrl_c') return { state, effect: 'interrupt' };
    if (key.name === 'ctrl_z') return { state, effect: 'suspend' };
    if (key.name === 'ctrl_l') return { state, effect: 'repaint' };
  }
  if (state.typed !== undefined) return whileTyping(state, state.typed, key);
  if (state.panel !== undefined) return inPanel(state, state.panel, key, seen);
  return inLists(state, key, seen);
}

const longestFilter = 200;

function whileTyping(state: State, typed: string, key: Key): Pressed {
  if ('typed' in key)
    return { state: { ...state, typed: (typed + key.typed).slice(0, longestFilter) } };
  if (key.name === 'enter') {
    return { state: { ...state, filter: typed.trim(), typed: undefined }, effect: 'read' };
  }
  if (key.name === 'escape') return { state: { ...state, typed: undefined } };
  if (key.name === 'ctrl_u') return { state: { ...state, typed: '' } };
  if (key.name === 'backspace') {
    return {
      state: {
        ...state,
        typed: graphemesOf(typed)
          .slice(0, -1)
          .map((each) => each.text)
          .join(''),
      },
    };
  }
  return { state };
}

function inPanel(state: State, panel: Panel, key: Key, { page, scrollEnd }: Seen): Pressed {
  const scrolled = (from: number): Pressed => {
    const within = Math.min(Math.max(0, from), scrollEnd);
    return { state: { ...state, panel: { ...panel, from: within } } };
  };
  const closed: Pressed = { state: { ...state, panel: undefined } };
  switch (nameOf(key)) {
    case 'up':
    case 'k':
      return scrolled(panel.from - 1);
    case 'down':
    case 'j':
      return scrolled(panel.from + 1);
    case 'page_up':
      return scrolled(panel.from - page);
    case 'page_down':
    case ' ':
      return scrolled(panel.from + page);
    case 'home':
      return scrolled(0);
    case 'r':
      return { state, effect: panel.kind === 'explanation' ? 'explain' : undefined };
    case 'escape':
    case 'enter':
    case 'q':
    case '?':
      return closed;
    default:
      return { state };
  }
}

function inLists(state: State, key: Key, seen: Seen): Pressed {
  const name = nameOf(key);
  const next = movement(name, seen.page);
  if (next !== undefined) return { state: moved(state, seen, next) };
  const numbered = sectionNames[Number(name) - 1];
  if (numbered !== undefined) return { state: { ...state, focus: numbered } };
  switch (name) {
    case 'q':
      return { state, effect: 'quit' };
    case '?':
    case 'h':
      return { state: { ...state, panel: { kind: 'help', from: 0 } } };
    case '/':
      return { state: { ...state, typed: state.filter } };
    case 'escape':
      return state.filter === '' ? { state } : { state: { ...state, filter: '' }, effect: 'read' };
    case ' ':
      return state.isPaused
        ? { state: { ...state, isPaused: false }, effect: 'read' }
        : { state: { ...state, isPaused: true } };
    case 'r':
      return { state, effect: 'read' };
    case 's':
      return { state: { ...state, order: after(orders, state.order, 1) } };
    case 'tab':
      return { state: { ...state, focus: after(sectionNames, state.focus, 1) } };
    case 'back_tab':
      return { state: { ...state, focus: after(sectionNames, state.focus, -1) } };
    case 'enter':
    case 'e':
      return explained(state, seen);
    default:
      return { state };
  }
}

function explained(state: State, { sections }: Seen): Pressed {
  const { entries = [] } = sections.find((each) => each.name === state.focus) ?? {};
  const entry = entries[chosenIndex(state, state.focus, entries)];
  if (entry === undefined) return { state };
  const panel: Panel = { kind: 'explanation', about: entry.about, from: 0 };
  return { state: { ...state, panel }, effect: 'explain' };
}

/** Where the chosen row of a list is; of a list in which nothing is chosen, the first. */
export function chosenIndex(
  { chosen }: State,
  name: SectionName,
  entries: readonly { readonly id: string }[],
): number {
  return Math.max(
    0,
    entries.findIndex((each) => each.id === chosen[name]),
  );
}

function movement(name: string, page: number): ((index: number) => number) | undefined {
  const movements: Readonly<Record<string, (index: number) => number>> = {
    up: (index) => index - 1,
    k: (index) => index - 1,
    down: (index) => index + 1,
    j: (index) => index + 1,
    page_up: (index) => index - page,
    page_down: (index) => index + page,
    home: () => 0,
    g: () => 0,
    end: () => Number.POSITIVE_INFINITY,
    G: () => Number.POSITIVE_INFINITY,
  };
  return Object.hasOwn(movements, name) ? movements[name] : undefined;
}

function moved(state: State, { sections }: Seen, next: (index: number) => number): State {
  const { entries = [] } = sections.find((each) => each.name === state.focus) ?? {};
  const wanted = next(chosenIndex(state, state.focus, entries));
  const entry = entries[Math.min(Math.max(wanted, 0), entries.length - 1)];
  if (entry === undefined) return state;
  return { ...state, chosen: { ...state.chosen, [state.focus]: entry.id } };
}

function after<Value>(values: readonly Value[], value: Value, step: 1 | -1): Value {
  const place = (values.indexOf(value) + step + values.length) % values.length;
  return values[place] ?? value;
}

function nameOf(key: Key): string {
  return 'name' in key ? key.name : key.typed;
}
