import { askingUsage, subcommandOf } from './asking.ts';
import { chatted } from './bot/chat.ts';
import { listedChats } from './bot/chats.ts';
import { compared } from './bot/diff.ts';
import { logged } from './bot/log.ts';
import { resumed } from './bot/resume.ts';
import { tested } from './bot/test.ts';
import { unmatched } from './bot/unmatched.ts';
import { subscribed, unsubscribed, webhookStatus } from './bot/webhook.ts';
import { type Command, UsageError } from './command.ts';
import { operatorUsage } from './given/operator.ts';

const usage = `outrider bot subscribe <credential> --url U --secret REF [options]
outrider bot unsubscribe <credential> --url U [options]
outrider bot status [<credential>…] [options]
outrider bot chats [--handed-over] [--limit N] [options]
outrider bot log [<chat>] [--errors] [--since T] [--until T] [--limit N] [options]
outrider bot resume <chat> --reason R [options]
outrider bot chat [--rules F] [--name N] [options]
outrider bot test <dialogues> [--rules F] [options]
outrider bot diff <rules> [--since T] [--limit N] [options]
outrider bot unmatched [--since T] [--limit N] [options]

subscribe     has the platform bring what people write to the bot to <U>/v1/bot/<platform>, with the secret. An endpoint
              of the kind bot_webhook has to have the same secret. A platform that knows one webhook of a bot replaces
              it, another adds it to those that it knows
unsubscribe   has the platform bring nothing more to that address
status        asks the platform where it brings what people write. Exit code 1: nowhere, or it could not be asked
chats         the chats of the bots, the latest first, where each stands, and who answers there
log           what the bots did with each message, the latest first; texts are masked
resume        lets the bot answer again in a chat that was handed over to a person
chat          a conversation in the terminal: what the bot answers, by which rule and why, and which rule would answer
              otherwise. A line that is the text of a button presses it; /start starts the bot, /new begins a new chat,
              an empty line ends it. Without a terminal, each line of standard input is a message
test          plays the dialogues of a file, and says where the bot does something else; exit code 1: it does somewhere
diff          plays recorded messages against the rules of a file, and shows which answers would be different
unmatched     what people wrote and no rule matched, grouped by its words, the most frequent first

chat, test, diff and unmatched write and send nothing. docs/bot.md describes rules and dialogues. While
outrider up --sandbox runs on the same data folder, subscribe, unsubscribe and status ask its simulators.

  --url U         how the platform reaches this server: https://bot.example.org
  --secret REF    where the webhook's secret is read: env:NAME or file:PATH
  --platform P    log, resume: the platform of the chat, where several have such a chat
  --handed-over   chats: those that a person looks after
  --errors        log: only sends of replies that failed
  --rules F       chat, test: the rules of this file instead of those in the database
  --name N        chat: the name of the person
  --since T       diff, log, unmatched: from then on; a span such as 2h or 7d, or a time
  --until T       log: before then
  --limit N       at most so many, up to 1000 (default 50; diff: 200)
${operatorUsage}
${askingUsage}

chat, test and diff have --json and no --format.`;

const subcommands = {
  subscribe: subscribed,
  unsubscribe: unsubscribed,
  status: webhookStatus,
  chats: listedChats,
  log: logged,
  resume: resumed,
  chat: chatted,
  test: tested,
  diff: compared,
  unmatched,
} as const;

export const bot: Command = {
  usage,
  async run(args, terminal) {
    if (args.length === 0) throw new UsageError('say what to do: subscribe, status, chat, test …');
    const { name, rest } = subcommandOf(args, [
      'subscribe',
      'unsubscribe',
      'status',
      'chats',
      'log',
      'resume',
      'chat',
      'test',
      'diff',
      'unmatched',
    ] as const);
    return subcommands[name](rest, terminal);
  },
};
