import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Terminal, UsageError } from '../../src/cli/command.ts';
import { lostPets } from '../../src/cli/lost-pets.ts';
import { useFolder } from '../support/fixtures/folder.ts';

const folder = await useFolder();
const text = 'Пропал пёс Рекс, Уралмаш, ул. Кузнецова 5. 8-912-000-11-22';

async function run(args: readonly string[], input = ''): Promise<string> {
  const out: string[] = [];
  const terminal: Terminal = {
    out: (line) => void out.push(line),
    err: () => undefined,
    progress: () => undefined,
    redraw: () => undefined,
    bytes: () => undefined,
    isTty: false,
    stopped: new Promise(() => undefined),
    input: () => Promise.resolve(input),
    canAsk: false,
    ask: () => Promise.resolve(''),
  };
  expect(await lostPets.run(args, terminal)).toBe(0);
  return out.join('\n');
}

describe('outrider lost-pets read', () => {
  it('shows each field with the words that led to it', async () => {
    const file = path.join(folder, 'post.txt');
    await writeFile(file, text);
    const lines = (await run(['read', file])).split('\n');
    expect(lines).toContain('type\tlost\tПропал');
    expect(lines).toContain('phones\t+79120001122\t8-912-000-11-22');
    expect(lines).toContain('place\tУралмаш, ул. Кузнецова 5\tУралмаш, ул. Кузнецова 5');
  });

  it('reads standard input, and answers with JSON', async () => {
    expect(JSON.parse(await run(['read', '-', '--json'], text))).toMatchObject({
      icon: '🔎',
      title: 'Пропал пёс',
      type: 'lost',
      animal: 'dog',
      phones: ['+79120001122'],
      words: { animal: ['пёс'] },
    });
  });

  it('asks for a text', async () => {
    await expect(run(['read'])).rejects.toThrow(UsageError);
    await expect(run(['read', path.join(folder, 'gone.txt')])).rejects.toThrow('there is no file');
  });
});
