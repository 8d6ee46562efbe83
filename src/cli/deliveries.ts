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
requeue   sends failed deliveries again: those named, or the latest failures of those chosen; prints how many.
          Exit code 1: a delivery that was named was refused, or all that were chosen were

An id may be cut to its beginning or to its end, as long as no other id has the same.

  --status S      ${deliveryStatuses.slice(0, 6).join(', ')},
                  ${deliveryStatuses.slice(6).join(', ')}, or failed for both of the last two
                  (default of requeue: failed)
  --channel C     only those of a channel, as often as needed; * stands for any characters, ? for one: 'tg-*'
${choiceUsage}
  --since T       only those accepted since then, or failed since then if only failed ones are asked for: 1h for an hour
                  ago, or a time such as 2026-03-02T18:00+03:00; without a zone it is this machine's
  --until T       the same, before then
  --message M     list: only those of a message
  --limit N       at most this many, up to 1000 (default: list 20, requeue 1000)
  --before ID     list: the next page; ID is the last delivery of the page before
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
