// From the reference of a credential to the secret itself. It is read for each send: a token that was
// rotated is used at once, and one that was revoked is not sent again, which would close its channels.

import { readSecretRef } from '../secret-ref.ts';
import type { SendError } from './adapter.ts';
import { permanent } from './answer.ts';

export interface CredentialBinding {
  readonly authRef: string;
  /** `env:NAME` or `file:PATH`; null: nothing is bound. */
  readonly secretRef: string | null;
}

export type Credential =
  | { readonly ok: true; readonly secret: string }
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
  return { ok: false, error: permanent('credential_missing', message, { scope: 'channel' }) };
}
