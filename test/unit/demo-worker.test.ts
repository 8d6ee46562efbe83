import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { end } from '../../src/cli/demo/worker.ts';

it('the worker of the demo is waited for, also when the demo is broken off meanwhile', async () => {
  const stopping = new AbortController();
  const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
  const child = spawn(process.execPath, ['-e', deaf], {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: stopping.signal,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => undefined);
  await once(child.stdout, 'data');
  const ended = end(child, 'SIGTERM');
  stopping.abort();
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  await end(child, 'SIGTERM');
});
