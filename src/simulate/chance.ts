// Random numbers that are the same in every run: one from 0 to 1 for each call, whatever the order of the calls.

/** One call of a send. */
export interface CallPlace {
  readonly channelId: string;
  /** Which call of its channel it is, counted from 0. */
  readonly call: number;
}

/** FNV-1a, then a last mixing: neighbours must not be alike. */
export function chanceOf(seed: string, { channelId, call }: CallPlace): number {
  let hash = 0x81_1c_9d_c5;
  for (const character of `${seed}\u0000${channelId}\u0000${call}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
