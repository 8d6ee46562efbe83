// When it happened, as it is written.

import { filler } from './plain.ts';
import type { Found } from './span.ts';
import { isStreetOfDay } from './streets-of-days.ts';
import type { Token, Tokens } from './tokens.ts';

const month =
  '(?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|янв|февр?|мар|апр|июн|июл|авг|сент?|окт|нояб?|дек)(?![а-я])';
const weekday =
  '(?:понедельника?|вторника?|сред[уы]|четверга?|пятниц[уы]|суббот[уы]|воскресень[ея]|выходные|выходных)';
const year = '(?: ?20\\d\\d(?: ?г(?:ода|\\.)?)?)?';
const about = '(?:(?:примерно|около|приблизительно|ориентировочно|где-то|предположительно|~) ?)?';
const part =
  '(?:утром|днем|вечером|ночью|(?:ближе )?к (?:вечеру|ночи|обеду|утру)|после обеда|до обеда|в обед|в районе обеда|с утра|с вечера|под утро|под вечер|около (?:полудня|полуночи|обеда)|в полночь|в полдень|вечер|утро|ночь|днём)(?![а-я])';
const ofDay = '(?:[ ](?:утра|вечера|дня|ночи)(?![а-я]))';
const clock = `(?:${about}(?:в|во|после|до|к|часов в|между|с)? ?${about}(?:\\d{1,2}[:.\\-]\\d\\d(?!\\d|\\.\\d|-\\d)${ofDay}?|\\d{1,2}${ofDay}|\\d{1,2} ?(?:ч(?![а-я])\\.?|час(?:ов|а)?(?![а-я]))${ofDay}?|\\d{1,2} и \\d{1,2}${ofDay})(?:[ ]?(?:-|до)[ ]?\\d{1,2}(?:[:.]\\d\\d)?(?: час[а-я]*|${ofDay})?)?)`;
const dayNumber = '\\d{1,2}\\u0001{0,2}(?:-го|-е|го)?';
const date = `(?:${about}(?:с )?(?:${dayNumber}(?: ?(?:-|и|на) ?${dayNumber})? ${month}${year}|(?<![\\d.,:\\-])\\d{1,2}[./](?:0[1-9]|1[0-2])(?:\\.(?:20)?\\d\\d)?(?![\\d]|[.,\\-]\\d| ?(?:кг|год|лет|мес|см|км|руб|тыс|г\\b)))(?: ?г\\.)?)`;
const day = '(?:сегодня|седня|вчера|позавчера)(?![а-я])(?: и сегодня)?';
const night = `(?:(?:в|на) ночь (?:с ${dayNumber} на ${dayNumber} ${month}${year}|на ${date}|на ${weekday}|с ${weekday} на ${weekday}|с ${dayNumber} на ${dayNumber}(?:\\.\\d\\d)?))`;
const ofWeek = `(?:(?:в|во|с|со|на|до|еще в|ещё с) ?(?:прошл(?:ый|ую|ое|ой|ые)|эту|этот|ту)? ?${weekday})`;
const exact = `(?:${night}|${ofWeek}|${day}|${date})`;
const tail = `(?:(?:,? |, ?|,? (?:в|примерно|около) )?(?:${clock}|${part}|${date}))`;
const numeral = '(?:\\d{1,2}|пару|пара|два|две|три|четыре|пять|полтора|несколько)';
const ago = `(?:полчаса назад|(?:${numeral} )?(?:минут[уы]?|мин|час(?:а|ов)?|минут \\d{1,2}|дн(?:я|ей)|сут(?:ки|ок)|недел[юиь]|месяц(?:а|ев)?|год(?:а)?) (?:\\d )?назад)`;
const lasting =
  '(?:(?:уже )?(?:второй|третий|четвертый|пятый|шестой|седьмой|вторые|третьи|вторую|третью) (?:день|сутки|час|недел[юя]|месяц|ночь)|уже (?:дня|дней|недели|часа) (?:два|три|четыре|пять|\\d)|уже \\d{1,2} (?:дня|дней|день|недел[иь]|сут(?:ки|ок))|\\d{1,2} (?:дня|дней|день)(?= нет))';
const loose = `(?:на (?:прошлой|этой) неделе|в прошлом (?:месяце|году)|на (?:прошлых|этих) выходных|прямо сейчас|только что|с самого утра|рано утром|поздно вечером|недавно|в (?:конце|начале|середине) ${month}|в (?:январе|феврале|марте|апреле|мае|июне|июле|августе|сентябре|октябре|ноябре|декабре))`;

const strong = new RegExp(`(?<![а-я\\d.])(?:${clock},? )?${exact}${tail}{0,3}`, 'y');
const middling = new RegExp(`(?<![а-я\\d])(?:${ago}|${lasting}|${loose})`, 'y');
const weak = new RegExp(
  `(?<![а-я\\d.:\\-])(?:(?:в|после|около|примерно в|часов в|между) ${about}\\d{1,2}(?:[:.]\\d\\d(?!\\d)${ofDay}?|${ofDay}| час[а-я]*${ofDay}?)|\\d{1,2}:\\d\\d(?!\\d)|${part})`,
  'y',
);
const timeOnly = /(?:^|\n| )время:? ?(\d{1,2}[.:]\d\d)/;
const isWorkingTime =
  /(?:звонить|звоните|работ|прием|приём|открыт|закры|вход|начало|выходные)[а-я ]{0,14}$/;
const later =
  /(?:родил|до |по |передержк[а-я]* (?:только )?|до следующ|съезжаем |улетаем |запись [а-я ]*на |увозят |пройдет )$/;

export function whenIn({ plain, text, list }: Tokens): Found<string> | undefined {
  const starts = startsIn(list);
  for (const expression of [strong, middling]) {
    const match = firstMatch(expression, plain, starts, later);
    if (match !== undefined) return trimmed(text, match.index, match[0]);
  }
  const only = timeOnly.exec(plain);
  if (only?.[1] !== undefined)
    return trimmed(text, only.index + only[0].length - only[1].length, only[1]);
  const match = firstMatch(weak, plain, starts, isWorkingTime);
  return match === undefined ? undefined : trimmed(text, match.index, match[0]);
}

/** Where a time may begin: at a number, at a word of time, or at a preposition before one. */
function startsIn(list: readonly Token[]): number[] {
  const starts: number[] = [];
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    if (token === undefined) continue;
    const { time } = token.facts;
    if (token.kind !== 'number' && time === undefined && token.plain !== '~') continue;
    if (time === 'about' && !isTimeAhead(list, n)) continue;
    if (token.kind === 'number' && isStreetOfDay(list, n)) continue;
    starts.push(token.start);
  }
  return starts;
}

function isTimeAhead(list: readonly Token[], n: number): boolean {
  for (let at = n + 1; at <= n + 3; at += 1) {
    const token = list[at];
    if (token?.kind === 'number') return true;
    if (token?.facts.time !== undefined && token.facts.time !== 'about') return true;
  }
  return false;
}

/** The first that does not stand after what makes another time of it. */
function firstMatch(
  expression: RegExp,
  text: string,
  starts: readonly number[],
  other: RegExp,
): RegExpExecArray | undefined {
  for (const start of starts) {
    expression.lastIndex = start;
    const match = expression.exec(text);
    if (match !== null && !other.test(text.slice(Math.max(0, start - 30), start))) return match;
  }
  return undefined;
}

const atEnd = new RegExp(`[\\s,.${filler}]+$`);

function trimmed(text: string, index: number, found: string): Found<string> {
  const start = index + (found.length - found.trimStart().length);
  const end = index + found.replace(atEnd, '').length;
  return { value: text.slice(start, end), start, end };
}
