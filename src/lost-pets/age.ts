// The age, as it is written.

import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

const about = '(?:около |примерно |приблизительно |где-то |чуть больше |больше |до )?';
const numeral =
  '(?:один|одного|одной|два|двух|две|три|трех|четыре|четырех|пять|пяти|шесть|шести|семь|семи|восемь|восьми|девять|девяти|десять|десяти|полтора|полутора|полутор)';
const count = `(?:\\d{1,2}(?:[.,]\\d)?(?: ?- ?\\d{1,2}(?:[.,]\\d)?)?|${numeral}(?: с половиной)?)`;
const year = '(?:годиков|годика|годик|года|годов|году|год|лет|л\\.|г\\.|г)(?![а-я])';
const month = '(?:месяцев|месяца|месяц|мес\\.?|мес)(?![а-я])';
const week = '(?:недель|недели|неделя|неделю|нед)(?![а-я])';
const whole = `${about}${count}[ ]?(?:${year}|${month}|${week})(?:(?: и|,)? ${count}[ ]?(?:${month}))?`;
const turned = `(?:лет|года|годика|месяца|месяцев|мес)[ ]${count}(?![\\d:])`;
const alone = '(?:полгода|полгодика|годовал[а-я]{2,3}|около года|около месяца|годик)(?![а-я])';
const ages = new RegExp(`(?<![\\dа-я.,:])(?:${whole}|${turned}|${alone})`, 'y');
/** The words that an age may begin with. */
const first = new Set(
  'около примерно приблизительно где-то чуть больше до один одного одной два двух две три трех четыре четырех пять пяти шесть шести семь семи восемь восьми девять девяти десять десяти полтора полутора полутор лет года годика месяца месяцев мес полгода полгодика годик'.split(
    ' ',
  ),
);
const single = /(?:(?<=[,.] )|(?<=возраст:? ))(?:год|годик)(?=[,.\n])/;
const event = /(?:назад|спустя|через|уже|прошло|ждет|живет|живёт|искал|лечени|в течение)/;

function mayBegin({ kind, plain }: Token): boolean {
  return (
    kind === 'number' || (kind === 'word' && (first.has(plain) || plain.startsWith('годовал')))
  );
}

export function ageIn({ plain, text, list }: Tokens): Found<string> | undefined {
  let over = 0;
  for (const token of list) {
    if (token.start < over || !mayBegin(token)) continue;
    ages.lastIndex = token.start;
    const match = ages.exec(plain);
    if (match === null) continue;
    const { 0: found, index } = match;
    over = index + found.length;
    const end = index + found.length;
    const after = plain.slice(end, end + 14);
    const before = plain.slice(Math.max(0, index - 26), index);
    if (
      /^ ?(?:назад|спустя|октября|победы|влксм|ссср|комсомол)/.test(after) ||
      event.test(before.split(/[,.\n!]/).at(-1) ?? '')
    )
      continue;
    if (
      /(?:дочк|сын|ребен|женщин|мужчин|дочер|внук|внучк|дет|мне|дедушк|бабушк)[а-я]* ?,?[ ]?$/.test(
        before,
      ) ||
      /[a-z№]$/.test(before)
    )
      continue;
    if (
      /^\d{4}/.test(found) ||
      /(?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря) $/.test(
        before,
      )
    )
      continue;
    return { value: text.slice(index, end), start: index, end };
  }
  const bare = single.exec(plain);
  return bare === null
    ? undefined
    : {
        value: text.slice(bare.index, bare.index + bare[0].length),
        start: bare.index,
        end: bare.index + bare[0].length,
      };
}
