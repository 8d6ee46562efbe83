/**
 * Whether an address may get the secrets of another one: it is of the same origin, or it is the same host that has gone over
 * from http to https, both at their usual ports.
 */
export function mayHaveSecretsOf(first: URL, url: URL): boolean {
  if (url.origin === first.origin) return true;
  const isSecured = first.protocol === 'http:' && url.protocol === 'https:';
  return isSecured && url.hostname === first.hostname && first.port === '' && url.port === '';
}
