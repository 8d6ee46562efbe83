import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

type Values = Readonly<Record<string, string | null>>;

async function render(
  body: string,
  values: Values | null = {},
  text: string | null = null,
  dialect: string | null = null,
): Promise<string> {
  const { text: shown } = await queryRow(
    database.admin,
    z.object({ text: z.string() }),
    'select outrider.render_template($1, $2, $3, $4) as text',
    [body, values && JSON.stringify(values), text, dialect],
  );
  return shown;
}

async function faultOf(body: string): Promise<string | null> {
  const { fault } = await queryRow(
    database.admin,
    z.object({ fault: z.string().nullable() }),
    'select outrider.template_fault($1) as fault',
    [body],
  );
  return fault;
}

interface Case {
  readonly body: string;
  readonly values?: Values;
  readonly text?: string;
  readonly becomes: string;
}

/** The same cases, with what each really becomes. */
async function rendered(cases: readonly Case[]): Promise<Case[]> {
  const found: Case[] = [];
  for (const each of cases) {
    const fault = await faultOf(each.body);
    found.push({ ...each, becomes: fault ?? (await render(each.body, each.values, each.text)) });
  }
  return found;
}

describe('a placeholder', () => {
  it('shows its value, as often as it stands there', async () => {
    const cases: Case[] = [
      { body: 'Lost: {{title}}', values: { title: 'a dog' }, becomes: 'Lost: a dog' },
      { body: '{{a}}{{b}}{{a}}', values: { a: '1', b: '2' }, becomes: '121' },
      { body: '{{ a }}|{{\ta}}|{{a  }}', values: { a: '1' }, becomes: '1|1|1' },
      { body: '{{a1_b}}', values: { a1_b: 'x' }, becomes: 'x' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('shows nothing when its value is empty, null or unknown', async () => {
    const cases: Case[] = [
      { body: '[{{a}}{{b}}{{c}}{{text}}]', values: { a: '', b: null }, becomes: '[]' },
    ];
    expect(await rendered(cases)).toEqual(cases);
    expect(await render('[{{a}}]', null)).toBe('[]');
  });

  it('named text shows the text of the post, whatever the values say', async () => {
    const cases: Case[] = [
      {
        body: '{{text}}',
        values: { text: 'not this' },
        text: '<b>this</b>',
        becomes: '<b>this</b>',
      },
      { body: '[{{text}}]', values: { text: 'not this' }, becomes: '[]' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('shows a plain value escaped, and the text of the post as it is', async () => {
    const values = { title: 'a < b' };
    const shown = await render('{{title}} {{text}}', values, '<i>x</i>', 'telegram_html');
    expect(shown).toBe('a &lt; b <i>x</i>');
  });
});

describe('a section', () => {
  it('is shown when its value is not empty, an inverted one when it is', async () => {
    const body = 'a{{#x}}[{{x}}]{{/x}}{{^x}}none{{/x}}b';
    const cases: Case[] = [
      { body, values: { x: '1' }, becomes: 'a[1]b' },
      { body, values: { x: '0' }, becomes: 'a[0]b' },
      { body, values: { x: ' ' }, becomes: 'a[ ]b' },
      { body, values: { x: '' }, becomes: 'anoneb' },
      { body, values: { x: null }, becomes: 'anoneb' },
      { body, becomes: 'anoneb' },
      { body: '{{ # x }}1{{ / x }}{{^ y }}2{{/y }}', values: { x: 'x' }, becomes: '12' },
      { body: '{{#text}}yes{{/text}}{{^text}}no{{/text}}', text: 't', becomes: 'yes' },
      { body: '{{#text}}yes{{/text}}{{^text}}no{{/text}}', values: { text: 't' }, becomes: 'no' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('may stand in others, up to ten deep, also of its own name', async () => {
    const body = '0{{#a}}1{{^b}}2{{#a}}3{{/a}}4{{/b}}5{{/a}}6';
    const names = Array.from('abcdefghij');
    const nested = `${names.map((name) => `{{#${name}}}${name}`).join('')}!${names
      .toReversed()
      .map((name) => `{{/${name}}}`)
      .join('')}`;
    const cases: Case[] = [
      { body, values: { a: 'x' }, becomes: '0123456' },
      { body, values: { a: 'x', b: 'x' }, becomes: '0156' },
      { body, becomes: '06' },
      {
        body: nested,
        values: Object.fromEntries(names.map((name) => [name, '1'])),
        becomes: 'abcdefghij!',
      },
      { body: `<${nested}>`, values: { a: '1', b: '1' }, becomes: '<ab>' },
      { body: '{{^a}}{{#b}}x{{/b}}{{#a}}y{{/a}}z{{/a}}', values: { b: '1' }, becomes: 'xz' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });
});

describe('a line of a template', () => {
  it('whose tags leave nothing on it is left out', async () => {
    const cases: Case[] = [
      { body: 'a\n{{x}}\nb', becomes: 'a\nb' },
      { body: 'a\n \t{{x}} {{y}} \nb', becomes: 'a\nb' },
      { body: 'a\n{{#x}}Read: {{x}}{{/x}}\nb', becomes: 'a\nb' },
      { body: 'a\n{{#x}}\nRead: {{x}}\n{{/x}}\nb', becomes: 'a\nb' },
      { body: 'a\n{{#x}}\nRead: {{x}}\n{{/x}}\nb', values: { x: '1' }, becomes: 'a\nRead: 1\nb' },
      { body: '{{x}}\n{{y}}\na\n{{x}}', becomes: 'a' },
      { body: 'a\r\n{{x}}\r\nb\r\n', becomes: 'a\nb' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('stays when anything is left on it, or when it has no tag', async () => {
    const cases: Case[] = [
      { body: 'a\n{{x}}.\nb', becomes: 'a\n.\nb' },
      { body: 'a\n{{x}}{{y}}\nb', values: { y: 'y' }, becomes: 'a\ny\nb' },
      { body: 'a\n{{x}}\nb', values: { x: ' ' }, becomes: 'a\n \nb' },
      { body: 'a\n\nb\n \nc', becomes: 'a\n\nb\n \nc' },
      { body: 'a {{#x}}\nx\n{{/x}}b', becomes: 'a b' },
      { body: 'a {{#x}}\nx\n{{/x}}b', values: { x: '1' }, becomes: 'a \nx\nb' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('is never followed by more than one empty line, nor the whole begun or ended by one', async () => {
    const cases: Case[] = [
      { body: 'a\n\n{{x}}\n\nb', becomes: 'a\n\nb' },
      { body: 'a\n\n\n\n\nb\n\n\nc', becomes: 'a\n\nb\n\nc' },
      { body: ' \n\t{{text}}\n \n', text: '\n hi \n', becomes: 'hi' },
      { body: '{{x}}\n\n{{y}}', becomes: '' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('that a value brings stays as it is, empty or not', async () => {
    const cases: Case[] = [
      { body: 'a{{x}}b', values: { x: '\n\n\n' }, becomes: 'a\n\n\nb' },
      {
        body: 'a\n\n\n{{text}}\n\n\nb',
        text: '<pre>\n\n\n  x</pre>',
        becomes: 'a\n\n<pre>\n\n\n  x</pre>\n\nb',
      },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });
});

describe('braces', () => {
  it('in a value are never read as a template', async () => {
    const hostile = [
      '{{text}}',
      '{{#a}}',
      '{{/a}}',
      '}}',
      '{{',
      '{{a}}',
      '{{{{a}}}}',
      '\\{{a}}',
      '$1 \\1 \\0',
    ];
    for (const value of hostile) {
      expect(await render('<{{a}}|{{text}}>', { a: value }, value)).toBe(`<${value}|${value}>`);
    }
    const cases: Case[] = [
      {
        body: '{{a}}{{b}}{{c}}',
        values: { a: '{{', b: 'text', c: '}}' },
        text: 'x',
        becomes: '{{text}}',
      },
      {
        body: '{{a}}hidden?{{b}}',
        values: { a: '{{#z}}', b: '{{/z}}' },
        becomes: '{{#z}}hidden?{{/z}}',
      },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });

  it('that stand alone are text', async () => {
    const cases: Case[] = [
      { body: '{ } {a} } { {{a}}} } {', values: { a: '1' }, becomes: '{ } {a} } { 1} } {' },
      { body: '{ {{a}} }', values: { a: '1' }, becomes: '{ 1 }' },
      { body: '\\{ {{a}}\\', values: { a: '1' }, becomes: '\\{ 1\\' },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });
});

describe('text of any script', () => {
  it('is rendered as it is', async () => {
    const cases: Case[] = [
      {
        body: '🐕 Пропала {{title}} — 犬\u00a0',
        values: { title: 'собака 👩‍👩‍👧' },
        becomes: '🐕 Пропала собака 👩‍👩‍👧 — 犬\u00a0',
      },
    ];
    expect(await rendered(cases)).toEqual(cases);
  });
});

describe('a large template', () => {
  async function inTime<T>(work: () => Promise<T>): Promise<T> {
    const before = performance.now();
    const result = await work();
    expect(performance.now() - before).toBeLessThan(20_000); // not minutes; a busy machine is no fault
    return result;
  }

  it.each([
    ['placeholders', '{{a}} ', 'x '],
    ['placeholders on lines of their own', '{{a}}\n', 'x\n'],
    ['sections', '{{#a}}1{{/a}}{{^a}}2{{/a}}', '1'],
    ['single braces', '{ }', '{ }'],
    ['lines', 'x\n', 'x\n'],
    ['letters', 'я', 'я'],
  ])('of %s is rendered in time', async (_of, piece, becomes) => {
    const pieces = Math.floor(16_384 / piece.length);
    const body = piece.repeat(pieces);
    expect(await inTime(() => faultOf(body))).toBeNull();
    const shown = await inTime(() => render(body, { a: 'x' }));
    expect(shown).toBe(becomes.repeat(pieces).trimEnd());
  });

  it('fills in a thousand different values', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const values = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
    const body = names.map((name) => `{{${name}}}`).join('');
    expect(await inTime(() => render(body, values))).toBe(
      names.map((name) => `<${name}>`).join(''),
    );
  });

  it('that repeats a long text stops past a mebibyte, which no platform takes', async () => {
    const text = 'x'.repeat(100_000);
    const shown = await inTime(() => render('{{text}}\n'.repeat(1800), {}, text));
    expect(shown.length).toBeGreaterThan(1_048_576);
    expect(shown.length).toBeLessThan(1_200_000);
  });
});
