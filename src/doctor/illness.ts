// Which platforms do not answer. After two questions without an answer a platform is not asked again, so that nothing waits for it.

import type { SendError } from '../adapters/adapter.ts';

export interface Illness {
  note(platform: string, error: SendError): void;
  /** What the platform was last found with; undefined when it may be asked. */
  of(platform: string): SendError | undefined;
}

const enough = 2;

/** No whole answer came, or none that could be understood. */
const codes: readonly string[] = ['unreachable', 'read_failed'];

export function createIllness(): Illness {
  const found = new Map<string, SendError[]>();
  return {
    note(platform, error) {
      if (codes.includes(error.code)) found.set(platform, [...(found.get(platform) ?? []), error]);
    },
    of(platform) {
      const errors = found.get(platform) ?? [];
      return errors.length < enough ? undefined : errors.at(-1);
    },
  };
}
