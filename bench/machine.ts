import os from 'node:os';

/** What the numbers were measured on. */
export function describeMachine(): Readonly<Record<string, string>> {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model ?? 'unknown',
    cores: String(os.availableParallelism()),
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    'load before': os
      .loadavg()
      .map((load) => load.toFixed(2))
      .join(' '),
  };
}
