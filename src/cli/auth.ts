import { askingUsage, shellWord, subcommandOf } from './asking.ts';
import { checked } from './auth/check.ts';
import { rotated } from './auth/rotate.ts';
import { choiceUsage } from './channels/choice.ts';
import type { Command } from './command.ts';
import { operatorUsage } from './given/operator.ts';

const usage = `outrider auth check [<credential>…] [options]
outrider auth rotate [<channel>…] --to <credential> --reason R [options]

check    checks the credentials of a workspace, or those named: reads each secret, asks the platform whose it is, and
         prints a line with the account, or with what is wrong and what to do. Nothing is posted. A good credential
         opens the rate groups that were closed because the platform had refused it. Exit code 1: a credential was
         refused, or could not be read or checked here. While outrider up --sandbox runs on the same data folder, its
         simulators are asked.
rotate   gives channels another credential; outrider apply has to bind it to its secret first. The channels begin
         nothing new until what they are sending has ended, and then change all together. After two minutes the command
         gives up, and nothing has changed. After Ctrl-C nothing has changed either, and the channels send again within
         two minutes. Write the new credential into the file that you apply, too, or the next apply brings the old one
         back.

A channel is named by its id, in which * stands for any characters and ? for one: 'tg-*'.

  --to C          rotate: the credential that they get
  --new-group G   rotate: the rate group that they get, too
  --force         rotate: does not wait; what is being sent ends with the old credential
${choiceUsage}
${operatorUsage}

${askingUsage}`;

export const auth: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(
      args,
      ['check', 'rotate'],
      (given) => `outrider auth check ${shellWord(given)}`,
    );
    return { check: checked, rotate: rotated }[name](rest, terminal);
  },
};
