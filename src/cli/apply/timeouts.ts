// Lets a file give a timeout as a span, such as 10s or 1m30s: settings of a channel have seconds.

import { type Document, isScalar, visit } from 'yaml';

const span = /^(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;

export function readTimeouts(document: Document.Parsed): void {
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || pair.key.value !== 'timeout' || !isScalar(pair.value)) return;
      const seconds = secondsOf(pair.value.value);
      if (seconds !== undefined) pair.value.value = seconds;
    },
  });
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const [, minutes = '0', seconds = '0', ms = '0'] = span.exec(value) ?? [];
  const total = Number(minutes) * 60 + Number(seconds) + Number(ms) / 1000;
  return total > 0 ? total : undefined;
}
