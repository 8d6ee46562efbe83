// A provider that answers anything at all, and one that repeats our secrets.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SandboxReply } from '../../sandbox/simulator.ts';
import type { Harness } from './harness.ts';
import { errorOf, useStage } from './stage.ts';

const statuses = [200, 201, 204, 302, 400, 401, 403, 404, 409, 413, 429, 500, 502, 503];
const oddities = [
  '',
  'null',
  '[]',
  '"ok"',
  '1e999',
  '{}',
  '{"ok":true}',
  '{"result":{}}',
  '{"__proto__":{"ok":true}}',
  '{"response":',
  '\u0000\u0001\u0002',
  '<html>',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `"${'x'.repeat(2 * 1024 * 1024)}"`,
  '{"message":"\\u0000 \\ud83d"}',
];

export function describeHostility(harness: Harness): void {
  describe('a provider that answers anything', () => {
    let reply: SandboxReply = { status: 200, body: '' };
    const stage = useStage(harness, {
      disguise: (simulator) => ({ ...simulator, handle: () => reply }),
    });
    const unknown = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' };

    it.each(harness.falseAnswers)('is not believed: %s', async (body) => {
      reply = { status: 200, body };
      expect(errorOf(await stage().send())).toMatchObject(unknown);
    });

    const odd = oddities.map((body) => ({ body, beginning: body.slice(0, 40) }));
    it.each(odd)('is not believed when it says something odd: $beginning', async ({ body }) => {
      reply = { status: 200, body };
      expect(errorOf(await stage().send())).toMatchObject(unknown);
    });

    it.each(statuses)('gets an error out of status %i, whatever the body', async (status) => {
      for (const body of [...oddities, ...harness.falseAnswers]) {
        reply = { status, body: status === 204 ? '' : body };
        expect(await stage().send()).toHaveProperty('ok', false);
      }
    });

    // The stage checks that the database would take every error.
    it('gets an error that can be kept out of a long answer', async () => {
      for (const status of statuses.filter((each) => each !== 204)) {
        reply = { status, body: `{"message":"${'中'.repeat(31_900)}"}` };
        expect(await stage().send()).toHaveProperty('ok', false);
      }
    });

    it.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
      'gets a wait that can be kept out of "Retry-After: %s"',
      async (value) => {
        reply = { status: 429, headers: { 'retry-after': value }, body: '' };
        expect(errorOf(await stage().send()).scope).toBe('platform');
      },
    );

    it.each([408, 500, 502, 503, 504])(
      'that fails with %i and says when to come back is unknown until then',
      async (status) => {
        reply = { status, headers: { 'retry-after': '120' }, body: '<html>' };
        expect(errorOf(await stage().send())).toMatchObject({ ...unknown, retryAfterMs: 120_000 });
      },
    );

    it.each(['-5', '1e999', '99999999999999999999', 'soon', 'Wed, 99 Foo 2026 00:00:00 GMT'])(
      'is not made to wait for ever by "Retry-After: %s"',
      async (value) => {
        reply = { status: 429, headers: { 'retry-after': value }, body: '' };
        expect(errorOf(await stage().send())).toMatchObject({
          category: 'TRANSIENT',
          scope: 'platform',
        });
      },
    );

    it.each([
      ['with a success', statuses.filter((status) => status < 300 && status !== 204), unknown],
      ['with a failure', statuses.filter((status) => status >= 300), {}],
    ])('never makes the adapter throw, with any JSON %s', async (_title, chosen, expected) => {
      const answers = fc.record({ status: fc.constantFrom(...chosen), body: fc.json() });
      await fc.assert(
        fc.asyncProperty(answers, async (answer) => {
          reply = answer;
          expect(errorOf(await stage().send())).toMatchObject(expected);
        }),
        { numRuns: 50 },
      );
    });

    it('does not get its echoes of the token into an outcome', async () => {
      const { token } = harness;
      const bytes = Buffer.from(token);
      const forms = [
        token,
        encodeURIComponent(token),
        bytes.toString('base64'),
        bytes.toString('base64url'),
      ].map((form) => JSON.stringify(form).slice(1, -1));
      // As it stands in a text of JSON.
      forms.push(
        token.replace(/./g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      );
      for (const status of statuses.filter((each) => each !== 204)) {
        for (const form of forms) {
          const page = `<title>no ${form}</title>`;
          const json = JSON.stringify({
            ok: false,
            error_code: status,
            code: '?',
            message: '?',
            description: '?',
            error: { error_code: 100, error_msg: 'x: ?', request_params: [{ key: '?' }] },
          }).replaceAll('?', () => form);
          for (const body of [page, json]) {
            // The stage looks for the token in every outcome.
            reply = { status, headers: { 'x-echo': form, 'retry-after': form }, body };
            expect(await stage().send()).toHaveProperty('ok', false);
          }
        }
      }
    });
  });
}
