// Keys of a source that is asked over HTTP.

import { z } from 'zod';

export const SecretRef = z
  .string()
  .regex(/^(env:[A-Za-z_]\w*|file:.+)$/s, 'must be env:NAME or file:PATH')
  .describe('Where the secret is: env:NAME or file:PATH. The secret itself is never in the file.');

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header');

export const HttpAuth = z
  .union(
    [
      z.strictObject({ bearer_ref: SecretRef }),
      z.strictObject({
        header: headerName.describe('The header that holds the secret.'),
        ref: SecretRef,
      }),
      z.strictObject({
        query: z
          .string()
          .min(1)
          .max(100)
          .describe('The parameter of the address that holds the secret.'),
        ref: SecretRef,
      }),
    ],
    'must be {bearer_ref}, {header, ref} or {query, ref}, each with env:NAME or file:PATH',
  )
  .describe(
    'How the source knows us: {bearer_ref}, {header, ref} or {query, ref}. Another host or port that the source redirects to does not get the secret.',
  );

export type HttpAuth = z.output<typeof HttpAuth>;

export const SourceUrl = z
  .string()
  .max(2048)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http(s) address')
  .refine((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === '' && url.password === '');
  }, 'must not hold a user or a password: auth names where the secret is')
  .describe('The address, http or https.');

const MiB = 1024 * 1024;

/** Bounds of one answer. */
export const answerBounds = {
  max_bytes: z
    .int()
    .min(1024)
    .max(100 * MiB)
    .default(10 * MiB)
    .describe('The most bytes of an answer, packed and unpacked. Default: 10485760 (10 MiB).'),
  timeout_seconds: z
    .number()
    .min(0.1)
    .max(300)
    .default(30)
    .describe('How long an answer may take as a whole. Default: 30.'),
};
