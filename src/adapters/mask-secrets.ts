// Takes secrets out of what a server says: error pages quote the address of the request.

/** Below this a "secret" would mask ordinary words. */
const shortest = 8;

export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    for (const form of formsOf(secret)) masked = masked.replaceAll(form, '***');
  }
  return masked;
}

/** A process has few secrets, and each masks many texts. */
const remembered = 100;
const known = new Map<string, readonly string[]>();

function formsOf(secret: string): readonly string[] {
  const before = known.get(secret);
  if (before !== undefined) return before;
  const bytes = Buffer.from(secret);
  const forms = new Set([
    secret,
    encodeURIComponent(secret.toWellFormed()),
    encodeURI(secret.toWellFormed()),
    secret.replaceAll('/', '\\/'), // JSON of PHP
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]);
  if (known.size === remembered) known.clear();
  known.set(secret, [...forms]);
  return [...forms];
}
