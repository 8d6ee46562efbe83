import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { OutriderError } from '../../src/errors.ts';
import { silentLog } from '../../src/log.ts';
import { parseAddress } from '../../src/outbox/brokers/address.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';

const run = promisify(execFile);
const readSigningSecret = async () => ({ ok: true, secret: 'x' }) as const;

/** What is said about an address; undefined: a broker was opened. */
async function complaint(
  address: string,
  options: object = { readSigningSecret },
): Promise<string | undefined> {
  try {
    await (await openBroker(address, { log: silentLog, ...options })).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof OutriderError) || error.code !== 'configuration') throw error;
    return `${error.message}; ${error.hint ?? ''}`;
  }
}

describe('choosing a broker', () => {
  it.each([
    ['log:', 'log'],
    ['nats://h', 'nats'],
    ['tls://u:p@h:4222,h2/a.b?stream=s&create=true', 'nats'],
    ['amqp://h', 'rabbitmq'],
    ['AMQPS://u:p@[::1]:5671/%2F/pf', 'rabbitmq'],
    ['redis://h', 'redis'],
    ['rediss://:p@h/7', 'redis'],
    ['redis://h/7/stream?max_length=100', 'redis'],
    ['pubsub://my-project', 'pubsub'],
    ['pubsub://my-project/topic?endpoint=localhost:8085&create=false', 'pubsub'],
    ['kafka://h1,h2:9093/topic', 'kafka'],
    ['kafkas://u:p@h/topic?sasl=scram-sha-256', 'kafka'],
    ['https://example.org/hook', 'webhook'],
    ['http://u:p@localhost:8080/hook?x=1', 'webhook'],
  ])('opens %s without a server', async (address, name) => {
    const broker = await openBroker(address, { log: silentLog, readSigningSecret });
    expect(broker.name).toBe(name);
    await broker.close();
  });

  it.each([
    ['', /begins with one of log:, nats:\/\//],
    ['mqtt://u:hush-hush@h', /no broker has an address of that kind/],
    ['nats:', /cannot be read/],
    ['nats://', /cannot be read/],
    ['nats://u:hush-hush@h:port/x', /cannot be read/],
    ['nats://u:hush%zz-hush@h/x', /cannot be read/],
    ['nats://h/a*b', /not a NATS subject/],
    ['nats://h/a..b', /not a NATS subject/],
    ['nats://h/a/b', /no more than 1 part;/],
    ['nats://h/a?craete=true', /no parameter "craete".*stream, create/],
    ['nats://h/a?create=yes', /"create" must be true or false/],
    ['amqp://u:hush-hush@h,h2/x', /has one host/],
    ['amqp://h/a/b/c', /no more than 2 parts;/],
    ['redis://h/db/stream', /the database in the address must be a whole number/],
    ['redis://h/stream?max_length=-1', /"max_length" must be a whole number/],
    ['pubsub://a,b', /has one host/],
    ['kafka://h/topic?sasl=none', /"sasl" must be one of PLAIN, SCRAM-SHA-256/],
    ['https://u:hush-hush@', /cannot be read as a URL/],
  ])('says what is wrong with "%s"', async (address, words) => {
    const said = await complaint(address);
    expect(said).toMatch(words);
    expect(said).not.toContain('hush-hush');
  });

  it.each([
    ['log:', undefined],
    ['nats://u:p@h1,h2:4223/x', 'h1:4222, h2:4223'],
    ['amqps://u:p@[::1]/x', '[::1]:5671'],
    ['redis://:p@h/7', 'h:6379'],
    ['pubsub://my-project', undefined],
    ['https://u:p@example.org/hook?token=x', 'example.org:443'],
    ['http://[::1]:8080/hook', '[::1]:8080'],
  ])('knows where %s is, and says no more of it', async (address, place) => {
    const broker = await openBroker(address, { log: silentLog, readSigningSecret });
    expect(broker.place).toBe(place);
    await broker.close();
  });

  it('leaves nothing behind of a Redis that is away: the process can end', async () => {
    const program = `
      import { silentLog } from './src/log.ts';
      import { openBroker } from './src/outbox/brokers/open-broker.ts';
      const broker = await openBroker('redis://127.0.0.1:1', { log: silentLog });
      const checked = await broker.check(new AbortController().signal);
      await broker.close();
      const left = process.getActiveResourcesInfo().filter((each) => each === 'Timeout');
      console.log(JSON.stringify({ ok: checked.ok, left }));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: path.join(import.meta.dirname, '../..'),
    });
    expect(JSON.parse(stdout)).toEqual({ ok: false, left: [] });
  });

  it('opens no webhook without a secret', async () => {
    expect(await complaint('https://example.org', {})).toMatch(
      /need a secret.*OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF/,
    );
  });
});

describe('an address', () => {
  it('has a login, hosts, a path and parameters', () => {
    expect(
      parseAddress('kafka://us%40er:p%2F@:a@[::1]:9092,b.example,10.0.0.1:1/x/%2Fy?a=1&b=%20'),
    ).toEqual({
      scheme: 'kafka',
      username: 'us@er',
      password: 'p/@:a',
      hosts: [
        { host: '::1', port: 9092 },
        { host: 'b.example', port: undefined },
        { host: '10.0.0.1', port: 1 },
      ],
      path: ['x', '/y'],
      parameters: new Map([
        ['a', '1'],
        ['b', ' '],
      ]),
    });
  });

  it('may have a password alone, or nothing but a host', () => {
    expect(parseAddress('redis://:secret@h')).toMatchObject({
      username: undefined,
      password: 'secret',
    });
    expect(parseAddress('redis://h')).toMatchObject({
      username: undefined,
      password: undefined,
      path: [],
    });
  });
});
