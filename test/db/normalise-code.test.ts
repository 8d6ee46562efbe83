import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addTemplate } from '../support/posts/composed-posts.ts';
import { deliveriesOf, take } from '../support/posts/intake.ts';

// White space in code: it is sent as it came, and does not make another content.

const database = await useDatabase();

type Format = 'HTML' | 'Markdown' | null;

async function textWithCode(text: string, format: Format): Promise<string> {
  const row = z.object({ text: z.string() });
  const sql = 'select outrider.text_with_code($1, $2) as text';
  return (await queryRow(database.admin, row, sql, [text, format])).text;
}

describe('white space', () => {
  it.each<[title: string, format: Format, text: string, becomes: string]>([
    ['in pre stays', 'HTML', '<pre>a\n    b\t c</pre>', '<pre>a\n    b\t c</pre>'],
    ['in code stays', 'HTML', 'x  <code> a\u00a0  b </code>  y', 'x <code> a\u00a0  b </code> y'],
    ['at the ends of pre stays', 'HTML', ' <pre>\n a \n\n\n</pre>\n', '<pre>\n a \n\n\n</pre>'],
    [
      'in nested code stays',
      'HTML',
      '<pre><code class="language-py">if x:\n\n\n    y</code>  </pre>  .',
      '<pre><code class="language-py">if x:\n\n\n    y</code>  </pre> .',
    ],
    ['in tags in capitals stays', 'HTML', '<PRE>a  b</Pre>  c', '<PRE>a  b</Pre> c'],
    [
      'between two of them goes',
      'HTML',
      '<code>a</code>  \n\n\n  <b> b  </b>',
      '<code>a</code>\n\n<b> b </b>',
    ],
    ['in code that does not end goes', 'HTML', '<pre>a  b', '<pre>a b'],
    ['in what is called alike goes', 'HTML', '<codex>a  b</codex>', '<codex>a b</codex>'],
    ['in a plain text goes', null, '<pre>a  b</pre> `a  b`', '<pre>a b</pre> `a b`'],
    ['between backticks stays', 'Markdown', 'x  `a\t  b`  y', 'x `a\t  b` y'],
    [
      'in a block stays',
      'Markdown',
      '```py\nif x:\n    y\n\n\n```  z',
      '```py\nif x:\n    y\n\n\n``` z',
    ],
    ['in a block with backticks stays', 'Markdown', '```a `b  c  ```  d', '```a `b  c  ``` d'],
    ['between escaped backticks goes', 'Markdown', '\\`a  b\\`', '\\`a b\\`'],
    ['behind a backtick that does not close goes', 'Markdown', '`a  b', '`a b'],
    ['behind such a one and between others stays', 'Markdown', 'a  ` b ``c  d``', 'a ` b ``c  d``'],
  ])('%s (%s)', async (_, format, text, becomes) => {
    expect(await textWithCode(text, format)).toBe(becomes);
  });

  it('has line ends of one kind in code too, and no control characters', async () => {
    expect(await textWithCode('<pre>a\r\n  b\rc\u0001\u001b</pre>', 'HTML')).toBe(
      '<pre>a\n  b\nc</pre>',
    );
  });

  it('is collapsed as ever in a text with the private characters that stand for it meanwhile', async () => {
    expect(await textWithCode('\u{10ff01}<pre>a  b</pre>', 'HTML')).toBe(
      '\u{10ff01}<pre>a b</pre>',
    );
  });
});

const blank = fc.constantFrom(' ', '  ', '\n', '\n\n\n', '\t', '\u00a0', '\r\n', '\u3000');
const word = fc.constantFrom('a', 'é', 'e\u0301', '🐕', '#x', '&lt;', '\\', '\\`', '.');
const tag = fc.constantFrom('<pre>', '</pre>', '<code>', '</code>', '<code class="x  y">', '<b>');
const ticks = fc.constantFrom('`', '``', '```', '````');
const text = fc
  .array(fc.oneof(blank, word, tag, ticks), { maxLength: 16 })
  .map((pieces) => `x${pieces.join('')}`);

describe('any text', () => {
  it.each(['HTML', 'Markdown'] as const)(
    'in %s with the white space of its code is as normal as without it',
    async (format) => {
      const row = z.object({ normal: z.string(), again: z.string(), same: z.boolean() });
      const sql = `select outrider.normal_text($1) as normal, outrider.normal_text(c.text) as again,
          outrider.text_with_code(c.text, $2) = c.text as same
        from outrider.text_with_code($1, $2) as c (text)`;
      await fc.assert(
        fc.asyncProperty(text, async (source) => {
          const { normal, again, same } = await queryRow(database.admin, row, sql, [
            source,
            format,
          ]);
          expect({ again, same }).toEqual({ again: normal, same: true });
        }),
        { numRuns: 1000 },
      );
    },
  );
});

describe('a post with code', () => {
  const indented = '<b>Try  it</b>\n\n\n<pre>if x:\n\n\n\ty\u00a0 = 1</pre>';
  const flat = '<b>Try it</b>\n\n<pre>if x:\n\ny = 1</pre>';
  const sent = '<b>Try it</b>\n\n<pre>if x:\n\n\n\ty\u00a0 = 1</pre>';

  it('is sent with its white space on every platform, with and without a template', async () => {
    await addWorkspace(database.admin, 'code');
    await addTemplate(database.admin, 'card', 1, 'New:\n\n\n{{text}}', {}, 'code');
    const html = { settings: JSON.stringify({ parse_mode: 'HTML' }) };
    await addChannel(database.admin, 'code', 'max', { platform: 'max' });
    await addChannel(database.admin, 'code', 'telegram');
    await addChannel(database.admin, 'code', 'templated', { ...html, template_ref: 'card' });
    await addChannel(database.admin, 'code', 'vk', { platform: 'vk' });
    await take(database.service, 'code', { text: indented, parse_mode: 'HTML' });
    const rendered = (await deliveriesOf(database.admin, 'code')).map(
      ({ channel_id, rendered_text }) => [channel_id, rendered_text],
    );
    expect(Object.fromEntries(rendered)).toEqual({
      max: sent,
      telegram: sent,
      templated: `New:\n\n${sent}`,
      vk: 'Try it\n\nif x:\n\n\n\ty\u00a0 = 1',
    });
  });

  it('is the same content as one that differs in white space only, and the first one stays', async () => {
    await addWorkspace(database.admin, 'same');
    const first = await take(database.service, 'same', { text: indented, parse_mode: 'HTML' });
    const second = await take(database.service, 'same', { text: flat, parse_mode: 'HTML' });
    expect([first.seen, second.seen]).toEqual(['first', 'before']);
    expect(second.messageId).toBe(first.messageId);
    const row = z.object({ text: z.string(), hashed: z.boolean() });
    const sql = `select payload ->> 'text' as text,
        outrider.content_hash(outrider.normalize_payload(payload)) = content_hash as hashed
      from outrider.messages where workspace_id = 'same'`;
    expect(await queryRow(database.admin, row, sql)).toEqual({ text: sent, hashed: true });
  });
});
