// Lets a file give the timeout of a channel as a span, such as 10s or 1m30s: its settings have seconds.

import { type Document, isPair, isScalar, visit } from 'yaml';

const span = /^(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;

export function readTimeouts(document: Document.Parsed): void {
  visit(document, {
    Pair(_, pair, ancestors) {
      if (!isScalar(pair.value) || !isTimeoutOfChannel([...ancestors, pair])) return;
      const seconds = secondsOf(pair.value.value);
      if (seconds !== undefined) pair.value.value = seconds;
    },
  });
}

/** channels.<id>.settings.timeout, and no value of a template that has the same name. */
function isTimeoutOfChannel(steps: readonly unknown[]): boolean {
  const keys = steps.filter(isPair).map(({ key }) => (isScalar(key) ? key.value : undefined));
  const [section, , settings, name] = keys;
  return (
    keys.length === 4 && section === 'channels' && settings === 'settings' && name === 'timeout'
  );
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const read = span.exec(value);
  if (read === null) return undefined;
  const [, minutes = '0', seconds = '0', ms = '0'] = read;
  return Number(minutes) * 60 + Number(seconds) + Number(ms) / 1000;
}
