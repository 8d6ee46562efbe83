import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compiledSources } from './compiled-sources.ts';
import { type Order, type Phase, Report, type SenderOptions } from './sender-orders.ts';

/** A process that sends (sender-process.ts), as the test that started it sees it. */
export interface SenderChild {
  /** Starts sending. Sends that reach the phase `stopIn` stay there. */
  send(stopIn?: Phase): void;
  /** Lets the sends that stay in the phase go on. */
  goOn(): void;
  /** SIGSTOP: the process neither runs nor ends until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** Stops sending as on SIGTERM, but waits for the next order. */
  rest(): Promise<void>;
  /** Waits until that many sends have reached the phase. */
  stopped(count: number): Promise<void>;
  /** Sends the signal; answers with how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const program = fileURLToPath(new URL('./sender-process.ts', import.meta.url));

/** Resolves when the process has loaded its sources and waits for orders. */
export async function spawnSender(options: SenderOptions): Promise<SenderChild> {
  const env = { ...process.env, ...compiledSources };
  const child = fork(program, [JSON.stringify(options)], { execArgv: [], env });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const heard = { ready: 0, stopped: 0, resting: 0 };
  child.on('message', (message) => {
    heard[Report.parse(message).is] += 1;
  });
  const early = ended.then(({ code, signal }) => {
    throw new Error(`the sender ended by itself (${signal ?? code})`);
  });
  early.catch(() => undefined);
  const hear = async (what: keyof typeof heard, count: number): Promise<void> => {
    while (heard[what] < count) await Promise.race([once(child, 'message'), early]);
  };
  const tell = (order: Order): void => void child.send(order);

  await hear('ready', 1);
  return {
    send: (stopIn) => tell({ do: 'send', stopIn }),
    goOn: () => tell({ do: 'go on' }),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async rest() {
      const count = heard.resting + 1;
      tell({ do: 'rest' });
      await hear('resting', count);
    },
    stopped: (count) => hear('stopped', count),
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
