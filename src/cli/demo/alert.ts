import { chats } from './chats.ts';
import type { Scene } from './script.ts';

export const alertScene: Scene = {
  title: 'Somebody is told',
  async play(stage, script) {
    script.say('The monitor looks every few seconds. What comes in the chat of the operators:');
    const { platform, id } = chats.admins;
    const told = (): string =>
      stage
        .posts(platform, id)
        .map((each) => each.text)
        .join('\n');
    await stage.until('an alert about max-pets arrives', async () => told().includes('max-pets'));
    script.show(told().split('\n'));
    script.check(
      'the alert says which channel is disabled, why, and what to do',
      /\[critical\] channel "max-pets" is disabled: .+outrider channels enable max-pets/.test(
        told(),
      ),
    );
    script.check('it names its section of the runbook', told().includes('#channel_disabled'));
  },
};
