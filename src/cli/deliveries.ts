import { deliveryStatuses } from '../db/delivery-rows.ts';
import { askingUsage, subcommandOf } from './asking.ts';
import { choiceUsage } from './channel-choice.ts';
import type { Command } from './command.ts';
import { listed } from './deliveries-list.ts';
import { requeued } from './deliveries-requeue.ts';
import { shown } from './deliveries-show.ts';
import { operatorUsage } from './operator.ts';
import { mayBeId } from './short-ids.ts';
import { watchUsage } from './watching.ts';

const usage = `outrider deliveries [list] [options]
outrider deliveries show <delivery> [options]
outrider deliveries requeue (<delivery>… | --status S | --channel C | …) --reason R [options]

list      deliveries, newest first, and what each waits for; failed ones by their failure, the latest first
show      one delivery: where it stands, what it carries, what happened to it and what comes next
requeue   has deliveries sent again that failed: those named, or those chosen (of them the latest failures); prints how
          many. Exit code 1: one that was named, or every one of them, was refused

An id may be written short, from its beginning or from its end, as long as it tells one from the others.

  --status S      ${deliveryStatuses.slice(0, 6).join(', ')},
                  ${deliveryStatuses.slice(6).join(', ')}, or failed for both of the last two
                  (requeue: failed unless told)
  --channel C     only those of a channel, as often as needed; * stands for any characters, ? for one: 'tg-*'
${choiceUsage}
  --since T       only those that failed since, if only failed ones are asked for, else that were accepted since: 1h for
                  an hour ago, or a time such as 2026-03-02T18:00+03:00; without the zone it is of this machine's
  --until T       the same, before that
  --message M     list: only those of a message
  --limit N       at most so many, up to 1000 (default: list 20, requeue 1000)
  --before ID     list: what comes after this delivery, the last one of a list
${operatorUsage}
${watchUsage}

${askingUsage}`;

export const deliveries: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(args, ['list', 'show', 'requeue'], (given) =>
      mayBeId(given) ? `outrider deliveries show ${given}` : undefined,
    );
    return { list: listed, show: shown, requeue: requeued }[name](rest, terminal);
  },
};
