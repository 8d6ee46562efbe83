import { beforeAll, describe, expect, it } from 'vitest';
import { addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addTemplate, composePost, type Request } from '../support/posts/composed-posts.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await addWorkspace(database.admin, 'other');
});

/** What a channel sends; a refusal fails the test. */
async function sent(request: Request): Promise<string> {
  const post = await composePost(database.admin, request);
  expect(post.fault).toBeNull();
  return post.rendered_text;
}

describe('a template', () => {
  beforeAll(async () => {
    await addTemplate(database.admin, 'short', 1, 'First: {{text}}');
    await addTemplate(database.admin, 'short', 2, 'Second: {{text}}');
    await addTemplate(database.admin, 'short', 10, 'Tenth: {{text}}');
    await addTemplate(database.admin, 'other', 1, '{{text}}', {}, 'other');
    const values = '{{title}}|{{text}}|{{url}}|{{links}}|{{tags}}|{{price}}|{{city}}|{{footer}}';
    await addTemplate(database.admin, 'values', 1, values, {
      title: 'None',
      price: 5,
      city: 'Perm',
      footer: 'F',
    });
    await addTemplate(
      database.admin,
      'html',
      1,
      '<b>{{title}}</b>\n<a href="{{url}}">more</a>\n{{text}}',
    );
    await addTemplate(database.admin, 'broken', 1, '<b>{{title}}: {{text}}');
    await addTemplate(database.admin, 'spoken', 1, '{{title}} {{text}}', {
      text: 'no words & no text',
    });
  });

  it.each([
    ['short', 'Tenth: a', 'short@10'],
    ['short@2', 'Second: a', 'short@2'],
    ['short@1', 'First: a', 'short@1'],
  ])('named %s is written with its version', async (templateRef, text, version) => {
    const post = await composePost(database.admin, {
      payload: { text: 'a' },
      platform: 'telegram',
      templateRef,
    });
    expect(post).toMatchObject({ rendered_text: text, template_version: version, fault: null });
  });

  it.each([
    ['gone', 'the channel names the template "gone", which does not exist'],
    ['short@3', 'the channel names version 3 of the template "short", which does not exist'],
    ['other', 'the channel names the template "other", which does not exist'],
  ])('that is gone is a fault: %s', async (templateRef, fault) => {
    const request = { payload: { text: 'a' }, platform: 'telegram', templateRef };
    expect(await composePost(database.admin, request)).toEqual({
      rendered_text: 'a',
      render_meta: {},
      template_version: null,
      fault,
    });
  });

  it('takes its values from the post, then from the channel, then from its defaults', async () => {
    const of = (
      payload: Record<string, unknown>,
      tags: string[],
      values: object,
    ): Promise<string> =>
      sent({ payload, tags, platform: 'vk', templateRef: 'values', settings: { values } });
    expect(await of({ text: 'a' }, [], {})).toBe('None|a||||5|Perm|F');
    expect(await of({ text: 'a' }, [], { city: 'Omsk', footer: null, price: '' })).toBe(
      'None|a|||||Omsk|',
    );
    const payload = {
      title: 'T',
      text: 'a',
      links: ['https://a.b/c', 'https://a.b/d'],
      fields: { price: '7', city: '' },
    };
    expect(await of(payload, ['lost dog', 'perm'], { city: 'Omsk', price: '6' })).toBe(
      'T|a|https://a.b/c|https://a.b/c\nhttps://a.b/d|#lost_dog #perm|7|Omsk|F',
    );
  });

  it('may have a text of its own for posts without one', async () => {
    const settings = { parse_mode: 'HTML' };
    const request = { platform: 'telegram', templateRef: 'spoken', settings };
    expect(await sent({ ...request, payload: { title: 'T' } })).toBe('T no words &amp; no text');
    expect(await sent({ ...request, payload: { title: 'T', text: 'a' } })).toBe('T a');
  });

  it('is in the format of the channel, and its values are escaped for it', async () => {
    const post = await composePost(database.admin, {
      payload: { title: 'A <dog>', text: '<i>a</i>', links: ['https://a.b/?c=1&d="'] },
      platform: 'telegram',
      templateRef: 'html',
      settings: { parse_mode: 'HTML' },
    });
    expect(post.fault).toBeNull();
    expect(post.render_meta.format).toBe('HTML');
    expect(post.rendered_text).toBe(
      '<b>A &lt;dog&gt;</b>\n<a href="https://a.b/?c=1&amp;d=&quot;">more</a>\n&lt;i&gt;a&lt;/i&gt;',
    );
  });

  it('is plain text in a channel without a format, whatever the format of the post', async () => {
    const post = await composePost(database.admin, {
      payload: { text: '<i>a</i>', parse_mode: 'HTML' },
      platform: 'telegram',
      templateRef: 'short',
    });
    expect(post).toMatchObject({ rendered_text: 'Tenth: a', fault: null });
    expect(post.render_meta.format).toBeUndefined();
  });

  it('has its markup flattened where the text of a post is at fault', async () => {
    const post = await composePost(database.admin, {
      payload: { title: 'A & B', text: '<i>a', parse_mode: 'HTML', links: ['https://a.b/c'] },
      platform: 'telegram',
      templateRef: 'html',
      settings: { parse_mode: 'HTML', on_format_error: 'plain' },
    });
    expect(post).toEqual({
      rendered_text: 'A & B\nmore (https://a.b/c)\n<i>a',
      render_meta: { parts: [{ kind: 'text' }] },
      template_version: 'html@1',
      fault: null,
    });
  });

  it('that is itself at fault is a fault, or is taken word for word', async () => {
    const request = {
      payload: { title: 'A & B', text: '<i>a</i>', parse_mode: 'HTML' },
      platform: 'telegram',
      templateRef: 'broken',
    };
    const strict = await composePost(database.admin, {
      ...request,
      settings: { parse_mode: 'HTML' },
    });
    expect(strict).toMatchObject({
      rendered_text: '<b>A &amp; B: <i>a</i>',
      render_meta: {},
      template_version: 'broken@1',
    });
    expect(strict.fault).toMatch(/^the text is not valid HTML for Telegram: /);
    const settings = { parse_mode: 'HTML', on_format_error: 'plain' };
    expect(await sent({ ...request, settings })).toBe('<b>A & B: a');
  });
});
