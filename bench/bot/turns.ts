// What a turn costs: the update is recorded, then the bot decides and queues its answer.

import type pg from 'pg';
import { runBotTurn, takeBotUpdate } from '../../src/db/bot.ts';
import { openClient } from '../../src/db/pool.ts';
import { backendPid } from '../backend-pid.ts';
import { serviceLogin } from '../outrider/dispatcher.ts';
import { workspace } from '../outrider/workload.ts';
import { cpuNanosOfThread } from '../process-cpu.ts';
import { endpoint, installBot, question } from './workspace.ts';

/** One turn. */
export interface TurnCost {
  readonly millis: number;
  /** CPU of the backend. */
  readonly cpuMicros: number;
}

export interface TurnTaker {
  readonly rules: number;
  /** A person who has not written before asks. */
  take(number: number): Promise<TurnCost>;
  close(): Promise<void>;
}

export async function openTurns(databaseUrl: string, rules: number): Promise<TurnTaker> {
  await installBot(databaseUrl, rules);
  const client = await openClient({
    url: await serviceLogin(databaseUrl),
    applicationName: 'bench',
  });
  const pid = await backendPid(client);
  return {
    rules,
    async take(number) {
      const key = await recorded(client, number);
      const [startedAt, cpuBefore] = [performance.now(), cpuNanosOfThread(pid)];
      const { verdict } = await runBotTurn(client, key);
      const millis = performance.now() - startedAt;
      if (verdict !== 'replied') throw new Error(`the bot was ${verdict}`);
      return { millis, cpuMicros: (cpuNanosOfThread(pid) - cpuBefore) / 1000 };
    },
    close: () => client.end(),
  };
}

async function recorded(client: pg.Client, number: number) {
  const chatId = String(number);
  const update = {
    chatId,
    providerMessageId: '1',
    kind: 'message',
    text: question(number),
  } as const;
  const provider = 'telegram';
  const request = { workspaceId: workspace, endpointId: endpoint, provider, update };
  await takeBotUpdate(client, { ...request, traceId: 'bench' });
  return { workspaceId: workspace, provider, chatId, providerMessageId: '1' };
}
