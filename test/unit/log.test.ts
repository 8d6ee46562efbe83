import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLog, type Log, type LogLevel } from '../../src/log.ts';

function record(level: LogLevel = 'debug', pretty = false): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level, pretty, write: (line) => void lines.push(line) }), lines };
}

const Line = z.record(z.string(), z.unknown());

describe('the log', () => {
  it('writes one JSON object a line, with time, level, message and facts', () => {
    const { log, lines } = record();
    log.with({ run_id: 'r1' }).warn('not sent; it will be tried again', { delivery_id: 'd1' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    expect(Line.parse(JSON.parse(lines[0] ?? ''))).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'warn',
      message: 'not sent; it will be tried again',
      run_id: 'r1',
      delivery_id: 'd1',
    });
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = record('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines.map((line) => Line.parse(JSON.parse(line))['message'])).toEqual(['c', 'd']);
  });

  it('writes a line that a person reads at a glance', () => {
    const { log, lines } = record('info', true);
    log.info('sent', { channel_id: 'tg-news', title: 'Lost pets', count: 3 });
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {2}sent channel_id=tg-news title="Lost pets" count=3\n$/,
    );
  });

  const hostile = 'x\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\u202eEVIL\u2028';

  it('shows what a terminal would obey by its number, to people', () => {
    const { log, lines } = record('info', true);
    log.info(`a ${hostile}`, { trace_id: hostile, list: [hostile] });
    const shown = String.raw`x\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\u202eEVIL\u2028`;
    expect(lines[0]).toContain(` a ${shown} trace_id="${shown}" list=["${shown}"]\n`);
  });

  it('shows it by its number to machines, for whom that is the same', () => {
    const { log, lines } = record();
    log.info('a', { trace_id: hostile });
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(lines.join('').trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/);
    expect(Line.parse(JSON.parse(lines[0] ?? ''))['trace_id']).toBe(hostile);
  });

  it.each([false, true])('lets no secret through that a text quotes (for people: %s)', (pretty) => {
    const { log, lines } = record('info', pretty);
    const secrets = [
      '123456789:AAEabcdefghijklmnopqrstuvwxyz012345',
      'vk1.a.abcdefghijklmnop',
      'pass-w0rd',
      'b3arer-t0ken',
    ];
    log.info(`POST /bot${secrets[0]}/sendMessage failed`, {
      error: `access_token=${secrets[1]}&v=5.199`,
      address: `postgresql://outrider:${secrets[2]}@db/outrider`,
      header: `authorization: ${secrets[3]}`,
    });
    for (const secret of secrets) expect(lines.join('')).not.toContain(secret);
    expect(lines.join('')).toContain('postgresql://[token]@db/outrider');
  });

  it.each([false, true])('masks what the record masks (for people: %s)', (pretty) => {
    const { log, lines } = record('debug', pretty);
    const personal = ['+7 916 123-45-67', '89161234567', 'ann.lee@example.com', 'hunter22', '4711'];
    log.debug(`call ${personal[0]}`, { phone: 4711, from: { mail: personal[2] } });
    log.info('x', {
      contact: 89_161_234_567,
      error: `token:\n${personal[3]}\ncall 8 916\n1234567`,
    });
    log.with({ to: personal[1] }).warn('x');
    log.error(`"${personal[2]}"`);
    const all = lines.join('');
    for (const each of [...personal, '1234567']) expect(all).not.toContain(each);
    expect(all).toContain('[phone]');
    expect(all).toContain('[email]');
  });

  it('leaves ids, times and counts as they are, and every line JSON', () => {
    const { log, lines } = record();
    const facts = {
      delivery_id: '81234567-8901-4234-8567-890123456789',
      target_id: '-1001234567890',
      provider_message_id: '916123456',
      duration_ms: 12.5,
      next_retry_at: '2026-08-17T08:18:48.123Z',
      contact: 79_161_234_567,
    };
    log.info('request', facts);
    expect(Line.parse(JSON.parse(lines[0] ?? ''))).toMatchObject({ ...facts, contact: '[phone]' });
  });
});
