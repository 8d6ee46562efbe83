import { expect, it } from 'vitest';
import { printReplay, type Replayed } from '../../src/cli/replay/screen.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';

const words = 'Call +7 916 123-45-67 or ann@example.com';
const rendering = (text: string) => ({ text, plan: JSON.stringify([{ kind: 'text', text }]) });
const replayed: Replayed = {
  workspaceId: 'city',
  arrivals: [{ at: 0, post: { title: 'Lost dog', text: words } }],
  comparison: {
    same: 0,
    differences: [
      {
        post: 0,
        kind: 'rendered',
        channelId: 'news',
        before: { kind: 'queued', rendering: rendering(words) },
        after: { kind: 'queued', rendering: rendering(`${words}\nCity news`) },
      },
    ],
  },
  changes: ['changed.yaml'],
};

it.each(['table', 'tsv', 'json'] as const)('a replay masks recorded posts: %s', (form) => {
  const terminal = recordingTerminal();
  printReplay(terminal, form, 10, replayed);
  const said = terminal.printed();
  expect(said).toContain('Call [phone] or [email]');
  expect(said).not.toMatch(/916|ann@/);
});
