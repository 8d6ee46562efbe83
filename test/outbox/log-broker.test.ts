import { createLog } from '../../src/log.ts';
import type { BrokerServer, Received } from '../support/brokers/broker-server.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { describeBroker } from './conformance.ts';

const lines: string[] = [];

const harness: BrokerHarness = {
  title: 'of the log',
  start: async (): Promise<BrokerServer> => ({
    port: 0,
    address: () => 'log:',
    received: async () => lines.map(receivedOf),
    start: async () => undefined,
    stop: async () => undefined,
    close: async () => undefined,
  }),
  options: {
    log: createLog({ level: 'info', pretty: false, write: (line) => void lines.push(line) }),
  },
  abilities: { hasServer: false, knowsRepeats: false },
};

function receivedOf(line: string): Received {
  const {
    level: _level,
    time: _time,
    message: _message,
    payload,
    ...attributes
  } = JSON.parse(line);
  return { body: JSON.stringify(payload), attributes };
}

describeBroker(harness);
