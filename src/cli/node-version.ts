// Checks the Node that Outrider runs on. npm only warns of one that is too old; then an import would fail with an
// error of Node's own.

const needed = 24;

/** What is wrong with this version of Node, and what to do; undefined when nothing is. */
export function nodeFault(version: string): { message: string; hint: string } | undefined {
  if (Number.parseInt(version, 10) >= needed) return undefined;
  return {
    message: `this is Node ${version}, and Outrider needs ${needed} or newer`,
    hint: 'install a newer one: https://nodejs.org',
  };
}
