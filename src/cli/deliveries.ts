import { deliveryStatuses } from '../db/delivery-rows.ts';
import { askingUsage, subcommandOf } from './asking.ts';
import { choiceUsage } from './channels/choice.ts';
import type { Command } from './command.ts';
import { listed } from './deliveries/list.ts';
import { released } from './deliveries/release.ts';
import { requeued } from './deliveries/requeue.ts';
import { resolved } from './deliveries/resolve.ts';
import { shown } from './deliveries/show.ts';
import { followed } from './deliveries/watch.ts';
import { operatorUsage } from './given/operator.ts';
import { mayBeId } from './given/short-ids.ts';
import { watchUsage } from './screen/watching.ts';

const usage = `outrider deliveries [list] [options]
outrider deliveries show <delivery> [options]
outrider deliveries watch (<message> | <source_ref>) [options]
outrider deliveries requeue (<delivery>… | --status S | --channel C | …) --reason R [options]
outrider deliveries resolve <delivery> (--as sent <id at the platform> | --as lost) --reason R [options]
outrider deliveries release-stale [--older-than 10m] --reason R [options]

list      deliveries, newest first, and what each waits for; failed ones by their failure, the latest first
show      one delivery: where it stands, what it carries, what happened to it and what comes next
watch     follows one post to all its chats, until every delivery has ended. Exit code 0: every chat has it; 1: not all
requeue   sends failed deliveries again: those named, or the latest failures of those chosen; prints how many.
          Exit code 1: a delivery that was named was refused, or all that were chosen were
resolve   records what became of a delivery that failed because nobody knew whether it arrived (outcome_unknown). Look
          into the chat first: the post is there and has that id, or it is not there and is sent again
release-stale
          gives back deliveries that a sender began longer ago than that and has not finished, and those whose slot
          nobody used. What was being sent may have arrived. A sender that died is noticed without this command

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
  --over SPAN     requeue: spreads them evenly over a time such as 10m, 7d at most, instead of sending all at once
  --limit N       at most this many, up to 1000 (default: list 20, requeue 1000)
  --all           requeue: all that are chosen, however many
  --every S       watch: looks every S seconds, 1 to 3600 (default: 1)
  --timeout SPAN  watch: ends after a time, such as 10m, also when not every delivery has ended
  --before ID     list: the next page; ID is the last delivery of the page before
${operatorUsage}
${watchUsage}

${askingUsage}`;

export const deliveries: Command = {
  usage,
  async run(args, terminal) {
    const verbs = ['list', 'show', 'watch', 'requeue', 'resolve', 'release-stale'] as const;
    const { name, rest } = subcommandOf(args, verbs, (given) =>
      mayBeId(given) ? `outrider deliveries show ${given}` : undefined,
    );
    const run = {
      list: listed,
      show: shown,
      watch: followed,
      requeue: requeued,
      resolve: resolved,
      'release-stale': released,
    }[name];
    return run(rest, terminal);
  },
};
