import { channelStates, waitingCountsTo } from '../db/channel-rows.ts';
import { askingUsage, shellWord, subcommandOf } from './asking.ts';
import { choiceUsage } from './channels/choice.ts';
import { listed, shortState } from './channels/list.ts';
import { ordered } from './channels/order.ts';
import type { Command } from './command.ts';
import { operatorUsage } from './given/operator.ts';
import { watchUsage } from './screen/watching.ts';

const states = channelStates.map(shortState).join(', ');

const usage = `outrider channels [list [<channel>…]] [options]
outrider channels pause [<channel>…] [--for 2h | --until T] --reason R [options]
outrider channels resume | enable | disable [<channel>…] --reason R [options]
outrider channels doctor [<channel>…] [options]

list      channels, those that do not send first: why they do not and until when, what waits (counted up to
          ${waitingCountsTo}), what is being sent and when something was last sent
pause     keeps channels from sending; what is accepted for them waits
resume    ends a pause, and forgets the errors in a row that led to it
enable    lets disabled channels send again, without pause and without errors in a row
disable   takes channels out of service: no post is routed to them, and what waits goes on waiting

doctor    asks the platforms whether channels can post: whether the token is good, the chat is there and the account may
          post in it; looks at paces, windows and templates. Nothing is posted or changed. Exit code 1: something was
          found that is more than a hint. outrider doctor looks at everything else, too

A channel is named by its id, in which * stands for any characters and ? for one: 'tg-*'. All but list and doctor print
how many channels they changed, and why they left the others alone. Exit code 1: a channel named without * and ? was
left alone, or all channels were.

  --state S       list: only those that are ${states}
${choiceUsage}
  --for SPAN      pause: for this long, such as 30m, 2h or 1d
  --until T       pause: until this time, such as 2026-03-02T18:00+03:00, or in this machine's time zone:
                  2026-03-02T18:00, 2026-03-02 (midnight); without --for and --until, until they are resumed
${operatorUsage}
${watchUsage}

${askingUsage}`;

export const channels: Command = {
  usage,
  async run(args, terminal) {
    const verbs = ['list', 'pause', 'resume', 'enable', 'disable', 'doctor'] as const;
    const { name, rest } = subcommandOf(
      args,
      verbs,
      (given) => `outrider channels list ${shellWord(given)}`,
    );
    if (name === 'list') return listed(rest, terminal);
    if (name !== 'doctor') return ordered(name, rest, terminal);
    // Not before it is asked for: it alone needs what speaks to platforms and sources.
    const { examinedChannels } = await import('./channels/doctor.ts');
    return examinedChannels(rest, terminal);
  },
};
