// The ids of messages. A seq is the time in milliseconds with 16 random bits behind it; a mid is the chat and the seq
// as 64-bit numbers in hexadecimal.

import { randomInt } from 'node:crypto';

/** Numbers the messages: never the same number twice, and higher for later messages. */
export function createSequence(): (now: number) => bigint {
  let last = 0n;
  return (now) => {
    const drawn = (BigInt(now) << 16n) | BigInt(randomInt(0x10000));
    last = drawn > last ? drawn : last + 1n;
    return last;
  };
}

export function midOf(chatId: number, seq: bigint): string {
  return `mid.${hex(BigInt(chatId))}${hex(seq)}`;
}

function hex(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, '0');
}

/** The end of a public link to a channel post (assumed: the seq in base64url). */
export function linkOf(seq: bigint): string {
  return Buffer.from(hex(seq), 'hex').toString('base64url');
}
