import { listed, shown, silences, targets } from './alerts/list.ts';
import { ackOrder, silenceOrder, unsilenceOrder } from './alerts/order.ts';
import { tested } from './alerts/test.ts';
import { askingUsage, subcommandOf } from './asking.ts';
import type { Command } from './command.ts';
import { operatorUsage } from './given/operator.ts';
import { mayBeId } from './given/short-ids.ts';

const usage = `outrider alerts [list] [options]
outrider alerts show <alert> [options]
outrider alerts ack <alert>… --reason R [options]
outrider alerts silence (<alert> | <kind>) --for T --reason R [options]
outrider alerts unsilence (<alert> | <kind>) --reason R [options]
outrider alerts silences [options]
outrider alerts targets [options]
outrider alerts test [<target>…] [options]

list        what is wrong now, the worst first; with --all also what is over
show        one alert: what is known of it, who was told, and where the runbook speaks of it
ack         says that somebody knows of it: it is not told again while it lasts
silence     keeps one alert, or all of a kind, from being told for a time; the list still shows them
unsilence   ends a silence before its time
silences    which alerts are not told, until when, and by whose order
targets     where alerts are told, and whether messages arrive there
test        sends a test message to every target, or to those named, and prints what each said; exit code 1: one of them
            could not be reached

An alert may be named by its id, written short, or by its fingerprint, such as channel_disabled:tg-news. Alerts of
workspaces that have a target are evaluated by outrider up and outrider run monitor.

  --all           list: also those that are resolved
  --limit N       list: at most so many, up to 1000 (default 50)
  --for T         silence: for how long, such as 30m, 2h or 1d
  --until T       silence: until a time such as 2026-03-02T18:00+03:00
${operatorUsage}

${askingUsage}`;

export const alerts: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(
      args,
      ['list', 'show', 'ack', 'silence', 'unsilence', 'silences', 'targets', 'test'],
      (given) => (mayBeId(given) ? `outrider alerts show ${given}` : undefined),
    );
    const verbs = {
      list: listed,
      show: shown,
      ack: ackOrder,
      silence: silenceOrder,
      unsilence: unsilenceOrder,
      silences,
      targets,
      test: tested,
    };
    return verbs[name](rest, terminal);
  },
};
