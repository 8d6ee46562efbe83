// The words for a credential that does not work.

import type { CredentialBinding } from '../secrets.ts';
import type { SendError } from './adapter.ts';
import { sendError } from './answer.ts';

/** The error of a secret that could not be read, in words that name the credential and what to do. */
export function unreadableCredential(binding: CredentialBinding, reason: string): SendError {
  const message = `${credentialName(binding)} cannot be read: ${reason}; correct it${restart(binding)}, ${nextStep}`;
  return sendError('credential_refused', message);
}

/** The error of a secret that a provider refused, in words that name the credential and what to do. */
export function refusedCredential(binding: CredentialBinding, error: SendError): SendError {
  const { remedy = `replace the token${restart(binding)}`, ...rest } = error;
  const said = error.message.slice(0, longest).toWellFormed();
  return {
    ...rest,
    message: `${credentialName(binding)} was refused: ${said}; ${remedy}, ${nextStep}`,
  };
}

const nextStep = 'then run outrider auth check';

/** A process reads its environment once, when it starts; a file it reads for each send. */
function restart({ secretRef }: CredentialBinding): string {
  return secretRef?.startsWith('env:') === true ? ', restart what sends with it' : '';
}

/** How many characters of the provider's message are quoted. What to do stands behind it and must not be cut off. */
const longest = 200;

/** Shows the reference, which says where the secret is; but not one of another form, which may be the secret itself. */
export function credentialName({ authRef, secretRef }: CredentialBinding): string {
  const place = /^(env:[A-Za-z_]\w*|file:.+)$/.exec(secretRef ?? '')?.[1];
  return place === undefined ? `credential ${authRef}` : `credential ${authRef} (${place})`;
}
