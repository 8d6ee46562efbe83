import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// What the tables refuse of templates and of the channels that name them.

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await addWorkspace(database.admin, 'other');
});

async function addTemplate(
  templateId: string,
  version: number,
  body = '{{text}}',
  workspaceId = 'w',
): Promise<void> {
  await database.admin.query(
    `insert into outrider.templates (workspace_id, template_id, version, body, created_at)
     values ($1, $2, $3, $4, $5)`,
    [workspaceId, templateId, version, body, start],
  );
}

const tag = 'write {{name}}, {{#name}}, {{^name}} or {{/name}}';

const faults: readonly (readonly [body: string, fault: string])[] = [
  // what stands between double braces
  ['{{Name}}', `character 1: "{{Name}}" names nothing; ${tag}`],
  ['ab {{1a}}', `character 4: "{{1a}}" names nothing; ${tag}`],
  ['{{}}', `character 1: "{{}}" names nothing; ${tag}`],
  ['{{ }}', `character 1: "{{ }}" names nothing; ${tag}`],
  ['{{#}}{{/}}', `character 1: "{{#}}" names nothing; ${tag}`],
  ['{{a b}}', `character 1: "{{a b}}" names nothing; ${tag}`],
  ['{{a-b}}', `character 1: "{{a-b}}" names nothing; ${tag}`],
  ['{{a.b}}', `character 1: "{{a.b}}" names nothing; ${tag}`],
  ['{{a\n}}', `character 1: "{{a\n}}" names nothing; ${tag}`],
  ['{{имя}}', `character 1: "{{имя}}" names nothing; ${tag}`],
  ['{{&a}}', `character 1: "{{&a}}" names nothing; ${tag}`],
  ['{{!a}}', `character 1: "{{!a}}" names nothing; ${tag}`],
  ['{{##a}}', `character 1: "{{##a}}" names nothing; ${tag}`],
  ['{{_a}}', `character 1: "{{_a}}" names nothing; ${tag}`],
  // braces without their partners
  [
    'a {{',
    'character 3: "{{" is not followed by a name and "}}"; write {{name}}, or single braces',
  ],
  ['{{a}', 'character 1: "{{" is not followed by'],
  ['{{a} }', 'character 1: "{{" is not followed by'],
  ['{{{a}}}', 'character 1: "{{" is not followed by'],
  ['{{a {{b}}', 'character 1: "{{" is not followed by'],
  ['\\{{', 'character 2: "{{" is not followed by'],
  ['a}}', 'character 2: "}}" ends nothing; take it away, or write single braces'],
  ['{{a}}}}', 'character 6: "}}" ends nothing'],
  ['}{{a}}}}}', 'character 7: "}}" ends nothing'],
  // sections
  ['{{/a}}', 'character 1: {{/a}} closes no section; take it away, or open the section before it'],
  ['{{#a}}{{/a}}{{/a}}', 'character 13: {{/a}} closes no section'],
  ['{{#a}}x', 'character 1: {{#a}} is never closed; write {{/a}} where the section ends'],
  ['x{{^a}}', 'character 2: {{^a}} is never closed; write {{/a}} where the section ends'],
  ['{{#a}}{{#b}}{{/b}}', 'character 1: {{#a}} is never closed'],
  ['{{#a}} {{# b }}', 'character 8: {{# b }} is never closed; write {{/b}} where the section ends'],
  [
    '{{#a}}{{^b}}{{/a}}{{/b}}',
    'character 13: {{/a}} cannot close {{^b}} of character 7; write {{/b}} before it',
  ],
  [
    '{{#a}}'.repeat(11),
    'character 61: {{#a}} would be the 11th section inside one another; at most 10 may nest',
  ],
  // the first fault counts, and characters are characters
  ['{{A}} }} {{', 'character 1: "{{A}}"'],
  ['🐕ñ\u0301я{{A}}', 'character 5: "{{A}}"'],
  ['a\r\n{{A}}', 'character 4: "{{A}}"'],
];

describe('a template', () => {
  it.each(faults)('is refused with its fault in words: %j', async (body, fault) => {
    await expect(addTemplate('bad', 1, body)).rejects.toMatchObject({
      code: 'OR001',
      message: expect.stringMatching(/^template "bad", version 1, character/),
    });
    const { found } = await queryRow(
      database.admin,
      z.object({ found: z.string() }),
      'select outrider.template_fault($1) as found',
      [body],
    );
    expect(found.slice(0, fault.length)).toBe(fault);
  });

  it('is quoted no longer than a line, however long its fault', async () => {
    const bodies = [`{{${'A'.repeat(16_000)}}}`, `{{#${'a'.repeat(16_000)}}}`];
    for (const body of bodies) {
      const refused = await addTemplate('bad', 1, body).catch((error: unknown) => error);
      expect(String(refused).length).toBeLessThan(400);
    }
  });

  it('may have up to 16,384 characters and not be empty', async () => {
    const refused = { code: '23514', constraint: 'template_body_is_short' };
    await expect(addTemplate('long', 1, 'я'.repeat(16_384))).resolves.toBeUndefined();
    await expect(addTemplate('long', 2, 'я'.repeat(16_385))).rejects.toMatchObject(refused);
    await expect(addTemplate('long', 2, '')).rejects.toMatchObject(refused);
  });

  it('never changes in a version that is there', async () => {
    await addTemplate('post', 1);
    const changes = [
      `body = 'other'`,
      `defaults = '{"a": "b"}'`,
      'version = 7',
      `template_id = 'renamed'`,
      `workspace_id = 'other'`,
    ];
    for (const change of changes) {
      const changed = database.admin.query(
        `update outrider.templates set ${change} where workspace_id = 'w' and template_id = 'post'`,
      );
      await expect(changed).rejects.toMatchObject({
        code: 'OR003',
        message: 'template "post", version 1, cannot be changed',
        hint: expect.stringContaining('Insert the next version'),
      });
    }
    const rows = await queryRows(
      database.admin,
      z.object({ version: z.number(), body: z.string() }),
      `select version, body from outrider.templates where template_id in ('post', 'renamed')`,
    );
    expect(rows).toEqual([{ version: 1, body: '{{text}}' }]);
  });

  it('may be written once more as it is, and followed by the next version', async () => {
    await addTemplate('again', 1);
    const repeated = database.admin.query(
      `insert into outrider.templates (workspace_id, template_id, version, body, created_at)
       values ('w', 'again', 1, '{{text}}', $1)
       on conflict (workspace_id, template_id, version) do update set body = excluded.body`,
      [start],
    );
    await expect(repeated).resolves.toMatchObject({ rowCount: 1 });
    await expect(addTemplate('again', 2, '{{title}}')).resolves.toBeUndefined();
  });
});

describe('a channel', () => {
  it.each(['card', 'card@1', 'card@3', null])(
    'names a template of its workspace, with or without a version: %s',
    async (reference) => {
      await database.admin.query(
        `insert into outrider.templates (workspace_id, template_id, version, body, created_at)
         values ('w', 'card', 1, 'x', $1), ('w', 'card', 3, 'x', $1) on conflict do nothing`,
        [start],
      );
      const added = addChannel(database.admin, 'w', `with ${reference}`, {
        template_ref: reference,
      });
      await expect(added).resolves.toBeUndefined();
    },
  );

  it.each([
    ['nowhere', 'channel "x": workspace "w" has no template "nowhere"'],
    ['nowhere@1', 'channel "x": workspace "w" has no template "nowhere"'],
    ['CARD', 'channel "x": workspace "w" has no template "CARD"'],
    ['elsewhere', 'channel "x": workspace "w" has no template "elsewhere"'],
    ['two@3', 'channel "x": template "two" has no version 3; its newest is 2'],
    ['two@999999999', 'channel "x": template "two" has no version 999999999; its newest is 2'],
  ])('does not name one that is not there: %s', async (reference, message) => {
    await database.admin.query(
      `insert into outrider.templates (workspace_id, template_id, version, body, created_at)
       values ('w', 'two', 1, 'x', $1), ('w', 'two', 2, 'x', $1), ('other', 'elsewhere', 1, 'x', $1),
         ('other', 'two', 3, 'x', $1)
       on conflict do nothing`,
      [start],
    );
    const added = addChannel(database.admin, 'w', 'x', { template_ref: reference });
    await expect(added).rejects.toMatchObject({ code: 'OR002', message });
  });

  it('is not moved to a template that is not there', async () => {
    await addChannel(database.admin, 'w', 'moving');
    const moved = database.admin.query(
      `update outrider.channels set template_ref = 'nowhere@2' where workspace_id = 'w' and channel_id = 'moving'`,
    );
    await expect(moved).rejects.toMatchObject({ code: 'OR002' });
  });

  it.each(['', '@1', 'card@', 'card@0', 'card@x', 'card@1@2', 'a b', 'card@1234567890'])(
    'names a template by its id or its id and version, not as %j',
    async (reference) => {
      const added = addChannel(database.admin, 'w', 'x', { template_ref: reference });
      await expect(added).rejects.toMatchObject({
        code: '23514',
        constraint: 'template_ref_is_an_id_or_an_id_with_a_version',
      });
    },
  );
});
