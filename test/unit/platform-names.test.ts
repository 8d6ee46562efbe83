import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulated } from '../../sandbox/platforms.ts';
import { platforms } from '../../src/adapters/platforms.ts';
import { harnesses } from '../adapters/harnesses.ts';

// A platform is its folder, its simulator, its rows and its line in two lists. What else names one in code, comments and
// migrations aside, is listed here with its reason.

const root = path.join(import.meta.dirname, '../..');
const names = platforms.map(({ name }) => name);

const lists = ['src/adapters/platforms.ts', 'sandbox/platforms.ts'];
const exceptions: Readonly<Record<string, string>> = {
  'src/masking.ts': 'what a token of a platform looks like, as mask_text has it',
  'db/functions/shared/mask_forms.sql': 'the same',
  'src/adapters/index.ts': 'the functions by which programs make an adapter, kept by their names',
  'src/bot/platforms.ts': 'the list of those on which a bot can answer',
  'src/bot/platforms/max.ts': 'its updates',
  'src/bot/platforms/telegram.ts': 'its updates',
  'src/ingest/openapi.ts': 'the routes of their webhooks',
  'src/cli/capacity/options.ts': 'the workload of an example, for a command line that gives none',
  'src/cli/apply/document.ts': 'the name that Telegram has for its Markdown is taken, too',
  'src/cli/sandbox.ts': 'the call that a user may try first',
  'src/cli/demo/chats.ts': 'the story of the demo has chats with names',
  'src/cli/demo/demo.ts': 'the story of the demo',
  'src/cli/demo/killed-worker.ts': 'the story of the demo',
  'src/cli/demo/new-channel.ts': 'the story of the demo',
  'src/cli/demo/rate-limit.ts': 'the story of the demo',
  'src/cli/demo/repeated-post.ts': 'the story of the demo',
  'src/cli/demo/lost-pets.ts': 'the story of the demo',
  'src/cli/demo/shop-bot.ts': 'the story of the demo',
  'sandbox/drawing/looks.ts': 'the list of the looks of their apps',
  'sandbox/stage/stage.ts': 'its sample photos are drawn as those of VK are',
  'src/pull/kinds.ts': 'the list of the kinds of sources, one of which is a platform',
  'src/pull/kinds/vk-wall.ts': 'a kind of source',
};

/** The code of every file outside of the platforms' own folders, without its comments. */
function codeOutside(): { file: string; code: string }[] {
  const own = names.flatMap((name) => [
    `src/adapters/${name}/`,
    `src/pull/${name}/`,
    'src/lost-pets/', // reads posts as people write them on VK
    `sandbox/${name}/`,
  ]);
  const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts', 'db/functions/**/*.sql'], {
    cwd: root,
  });
  return files
    .filter((file) => !lists.includes(file) && !own.some((folder) => file.startsWith(folder)))
    .map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const code = text.replaceAll(/\/\*\*?[^]*?\*\//g, '').replaceAll(/(^|\s)(\/\/|--) .*$/gm, '');
      return { file, code };
    });
}

// As a word of its own ("max" is one of English, too, where no quote or slash is beside it), as the title, as a prefix of
// a variable such as MAX_TOKEN, in a function such as createVkAdapter, and as a key.
const mentions = platforms.map(({ name, title }) => {
  const part = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const forms = [
    `['"\`/]${name}['"\`/]`,
    `\\.${name}\\.(?!at\\()`,
    `\\b${title}\\b`,
    `create${part}`,
    `\\b${name.toUpperCase()}_`,
    ...(name === 'max' ? [] : [`\\b${name}\\b`]),
  ];
  return new RegExp(forms.join('|'));
});

describe('a platform', () => {
  it('is named by nothing outside of its folders and the lists but what has a reason', () => {
    const naming = codeOutside().filter(({ code }) => mentions.some((form) => form.test(code)));
    expect(naming.map(({ file }) => file).toSorted()).toEqual(Object.keys(exceptions).toSorted());
  });

  it('has a simulator and a harness of the same name', () => {
    expect(simulated.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(harnesses)).toEqual(names);
  });

  it.each(names)('has the same files for the same roles: %s', (name) => {
    const roles = [
      'adapter',
      'answers',
      'api',
      'changes',
      'check',
      'index',
      'recovery',
      'send',
      'target',
      'uploads',
    ];
    const files = globSync('*.ts', { cwd: path.join(root, 'src/adapters', name) });
    expect(files).toEqual(expect.arrayContaining(roles.map((role) => `${role}.ts`)));
  });
});
