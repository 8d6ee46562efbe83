// From the reference of a credential to the secret itself, and the words for one that does not work. A secret is
// read for each send, so that a token that was replaced is used at once.

import { readSecretRef } from '../secret-ref.ts';
import type { SendError } from './adapter.ts';
import { sendError } from './answer.ts';

export interface CredentialBinding {
  readonly authRef: string;
  /** `env:NAME` or `file:PATH`; null: nothing is bound. */
  readonly secretRef: string | null;
}

export type Credential =
  | { readonly ok: true; readonly secret: string }
  /** The message says why in a sentence; the callers name the credential. */
  | { readonly ok: false; readonly error: SendError };

export interface Credentials {
  read(binding: CredentialBinding): Promise<Credential>;
}

export function createCredentials(
  environment: Readonly<Record<string, string | undefined>>,
): Credentials {
  return {
    async read({ authRef, secretRef }) {
      if (secretRef === null) return missing(`no credential is bound to auth_ref ${authRef}`);
      const named = `the secret_ref of auth_ref ${authRef}`;
      const read = await readSecretRef(environment, secretRef, named);
      return read.ok ? read : missing(read.reason);
    },
  };
}

function missing(message: string): Credential {
  return { ok: false, error: sendError('credential_refused', message) };
}

/** The error of a secret that could not be read, in words that name the credential and what to do. */
export function unreadableCredential(binding: CredentialBinding, error: SendError): SendError {
  const message = `${credentialName(binding)} cannot be read: ${error.message}; correct it, ${nextStep}`;
  return { ...error, message };
}

/** The error of a secret that a provider refused, in words that name the credential and what to do. */
export function refusedCredential(binding: CredentialBinding, error: SendError): SendError {
  const { remedy = 'replace the token', ...rest } = error;
  const said = error.message.slice(0, longest).toWellFormed();
  return {
    ...rest,
    message: `${credentialName(binding)} was refused: ${said}; ${remedy}, ${nextStep}`,
  };
}

const nextStep = 'then run outrider auth check';

/** Of a provider's words: what is to be done stands behind them and must not be cut off. */
const longest = 200;

/** The reference says where the secret is; one of another form may be the secret, put in the wrong place. */
export function credentialName({ authRef, secretRef }: CredentialBinding): string {
  const place = /^(env:[A-Za-z_]\w*|file:.+)$/.exec(secretRef ?? '')?.[1];
  return place === undefined ? `credential ${authRef}` : `credential ${authRef} (${place})`;
}
