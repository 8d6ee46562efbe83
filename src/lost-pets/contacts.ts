// The people to call or to write to: first names beside a phone number, after a word such as куратор, and in mentions.

import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

const patronymic = /(?:вна|вну|вне|вной|вич|вича|вичу|ична|ичну|ичне|ишна)$/;

export function contactsIn(
  { list, text }: Tokens,
  phones: readonly Found<string>[],
  pet: Found<string> | undefined,
): readonly Found<string>[] {
  const contacts: Found<string>[] = [];
  const add = (start: number, end: number): void => {
    const value = text.slice(start, end);
    if (start === pet?.start || value === pet?.value) return;
    if (!contacts.some((each) => each.value === value)) contacts.push({ value, start, end });
  };
  for (const [n, token] of list.entries()) {
    if (token.kind === 'mention') {
      const words = token.end - 1;
      const bar = text.indexOf('|', token.start) + 1;
      if (
        /^[А-ЯЁ][а-яё]+(?: [А-ЯЁ][а-яё.]*){0,2}$/.test(text.slice(bar, words)) &&
        isPerson(text.slice(bar, words))
      )
        add(bar, words);
      continue;
    }
    if (
      !isFirstName(token) ||
      namesPlace(list, n) ||
      (!isNearPhone(list, n, phones) && !isAfterRole(list, n))
    )
      continue;
    const next = list[n + 1];
    const end =
      next?.kind === 'word' && next.capital && patronymic.test(next.plain) ? next.end : token.end;
    add(token.start, end);
  }
  return contacts;
}

const notPeople = /групп|кошк|собак|приют|пост|сюда|здесь|фото|клуб|сообществ|волонт|потеряш/;

function isPerson(words: string): boolean {
  return !notPeople.test(words.toLowerCase());
}

function isFirstName({ kind, capital, facts, plain }: Token): boolean {
  return (
    kind === 'word' &&
    capital &&
    facts.firstName === true &&
    (facts.town !== true || plain.length < 9)
  );
}

/** `мкр Елизавет`, `ул. Марии`: the name of a place. */
function namesPlace(list: readonly Token[], n: number): boolean {
  const isShort = list[n - 1]?.plain === '.' && (list[n - 2]?.plain.length ?? 9) < 5;
  const kind = isShort ? list[n - 2] : list[n - 1];
  if (kind === undefined || (kind.plain.length === 1 && !isShort)) return false;
  const { place } = kind.facts;
  return place === 'area' || place === 'street' || place === 'settlement';
}

const reach = 5;

/** On the same line, with at most a few tokens between. */
function isNearPhone(list: readonly Token[], n: number, phones: readonly Found<string>[]): boolean {
  const token = list[n];
  if (token === undefined) return false;
  for (const { start, end } of phones) {
    if (start > token.end + 60 || end < token.start - 60) continue;
    let between = 0;
    let isBroken = false;
    const step = end <= token.start ? -1 : 1;
    for (let at = n + step; between <= reach; at += step) {
      const other = list[at];
      if (other === undefined) break;
      if (step < 0 ? other.start < end : other.start >= start) {
        if (!isBroken) return true;
        break;
      }
      if (
        other.kind === 'line' ||
        other.plain === '!' ||
        (other.plain === '.' && step < 0 && between > 0)
      )
        isBroken = true;
      if (
        other.kind === 'word' &&
        !isFirstName(other) &&
        !other.facts.personRole &&
        other.plain !== 'и'
      )
        between += 1;
      between += 0.5;
    }
  }
  return false;
}

function isAfterRole(list: readonly Token[], n: number): boolean {
  let at = n - 1;
  while (
    list[at]?.plain === ':' ||
    list[at]?.plain === '-' ||
    list[at]?.plain === '(' ||
    list[at]?.plain === '.'
  )
    at -= 1;
  return list[at]?.facts.personRole === true;
}
