import { ownVersion } from '../own-version.ts';
import { type Command, exitCodes } from './command.ts';
import { flag, readOptionsOnly } from './given/options.ts';

const usage = `outrider version [options]

The version of Outrider, and of the Node that it runs on.

  --json   as JSON`;

export const version: Command = {
  usage,
  async run(args, terminal) {
    const { json } = readOptionsOnly(args, { json: flag });
    const own = ownVersion();
    const { node } = process.versions;
    terminal.out(json ? JSON.stringify({ outrider: own, node }) : `outrider ${own} (Node ${node})`);
    return exitCodes.ok;
  },
};
