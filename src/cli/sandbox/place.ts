// The addresses and tokens of a sandbox, for the process that it runs in and for the commands beside it.

import { simulated } from '../../../sandbox/platforms.ts';
import type { Sandbox } from '../../../sandbox/start.ts';
import type { Config } from '../../config.ts';
import { isLoopback } from '../../roles/status.ts';
import type { SandboxPlace } from './running.ts';

/** The secret of the demo workspace's endpoint; it opens nothing else. */
export const demoSecret = 'demo-secret';

/** The values of the demo workspace's secret references. */
const demoSecrets: Readonly<Record<string, string>> = {
  ...Object.fromEntries(simulated.map(({ demo }) => [demo.tokenVariable, demo.token])),
  OUTRIDER_DEMO_SECRET: demoSecret,
};

/** The place of a sandbox of this process. */
export function placeOf({ apiUrls, controlUrl: control }: Sandbox): SandboxPlace {
  return { pid: process.pid, apiUrls, control };
}

/**
 * The configuration with the sandbox's addresses and tokens. Its photos may be fetched from it. The status page is open to
 * this machine, unless the configuration says who may see it.
 */
export function pointedAt({ apiUrls, control }: SandboxPlace, config: Config): Config {
  const hosts = [...Object.values(apiUrls), control].map((url) => new URL(url).host);
  const media = { ...config.media, privateHosts: [...config.media.privateHosts, ...hosts] };
  const { tokenRef, proxies, isOpen } = config.status;
  const isUnsaid = tokenRef === undefined && proxies.length === 0;
  const status = { ...config.status, isOpen: isOpen || (isUnsaid && isLoopback(config.http.host)) };
  return { ...config, apiUrls, media, status, secrets: { ...config.secrets, ...demoSecrets } };
}
