// Keys, out of what a terminal sends for them. A sequence may come in pieces when the line is slow.

import type { Clock } from '../../clock.ts';

const sequences: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  OA: 'up',
  '[B': 'down',
  OB: 'down',
  '[5~': 'page_up',
  '[6~': 'page_down',
  '[H': 'home',
  OH: 'home',
  '[1~': 'home',
  '[7~': 'home',
  '[F': 'end',
  OF: 'end',
  '[4~': 'end',
  '[8~': 'end',
  '[Z': 'back_tab',
};

const controls: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'ctrl_c',
  '\u000c': 'ctrl_l',
  '\u0015': 'ctrl_u',
  '\u001a': 'ctrl_z',
};

type KeyName =
  | 'up'
  | 'down'
  | 'page_up'
  | 'page_down'
  | 'home'
  | 'end'
  | 'tab'
  | 'back_tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'ctrl_c'
  | 'ctrl_l'
  | 'ctrl_u'
  | 'ctrl_z';

/** A key by its name, or the character that it types. */
export type Key = { readonly name: KeyName } | { readonly typed: string };

const escape = '\u001b';
/** CSI and SS3, as far as they have come; the last character ends them. */
// oxlint-disable-next-line no-control-regex -- what a terminal sends
const begun = /^\u001b(?:\[[\x20-\x3f]*|O)?$/;
// oxlint-disable-next-line no-control-regex -- the same
const whole = /^\u001b(\[[\x20-\x3f]*[\x40-\x7e]|O[\x20-\x7e])/;

/** How long Escape alone takes to have an effect: until then it may be the beginning of another key. */
const escapeAloneMs = 150;

/** Answers with what takes the characters as they come. */
export function createKeyReader(clock: Clock, onKey: (key: Key) => void): (text: string) => void {
  let held = '';
  let callOff: (() => void) | undefined;

  function take(): void {
    for (;;) {
      if (held === '' || begun.test(held)) return;
      const [key, length] = firstOf(held);
      held = held.slice(length);
      if (key !== undefined) onKey(key);
    }
  }

  return (text) => {
    callOff?.();
    held += text;
    take();
    if (held === '') return;
    callOff = clock.after(escapeAloneMs, () => {
      const rest = held.slice(1);
      held = '';
      onKey({ name: 'escape' });
      for (const each of rest) onKey({ typed: each });
    });
  };
}

/** The first key, if anybody knows it, and how many characters it has. */
function firstOf(text: string): [Key | undefined, number] {
  const [found, sequence = ''] = whole.exec(text) ?? [];
  if (found !== undefined) {
    const name = sequences[sequence];
    return [name === undefined ? undefined : { name }, found.length];
  }
  if (text.startsWith(escape)) return [{ name: 'escape' }, 1];
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const name = controls[character];
  if (name !== undefined) return [{ name }, character.length];
  return [/^\p{Cc}$/u.test(character) ? undefined : { typed: character }, character.length];
}
