import { OutriderError } from '../../errors.ts';
import { openPostgresStore } from './postgres.ts';
import { openRedisStore } from './redis.ts';
import type { IdempotencyStore } from './store.ts';

/** The store at the address: redis://, rediss:// or postgresql://. */
export async function openIdempotencyStore(
  url: string,
  options: { readonly timeoutMs?: number | undefined } = {},
): Promise<IdempotencyStore> {
  if (/^rediss?:\/\//.test(url)) return openRedisStore({ url, ...options });
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresStore({ url, ...options });
  throw new OutriderError(
    'configuration',
    'the address of the idempotency store begins neither with redis:// nor with postgresql://',
    { hint: 'redis://host:6379/0, or the address of the database that has the schema outrider' },
  );
}
