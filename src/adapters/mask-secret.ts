// Takes a secret out of what a server says: error pages quote the address of the request.

/** Below this a "secret" would mask ordinary words. */
const shortest = 8;

export function maskSecret(text: string, secret: string): string {
  if (secret.length < shortest) return text;
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    encodeURI(secret.toWellFormed()),
    secret.replaceAll('/', '\\/'), // JSON of PHP
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
  return forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}
