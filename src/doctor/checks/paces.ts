// Whether the configured pace is what the platforms allow.

import type { Platform } from '../../adapters/platform.ts';
import { platforms } from '../../adapters/platforms.ts';
import { type Finding, info, warning } from '../finding.ts';
import type { AskedWorkspace, DoctorCheck } from '../installation.ts';
import { rate, some } from '../words.ts';

/** What is allowed of something: by the platform, as far as it is known, and by Outrider, which leaves room below it. */
interface Allowed {
  readonly limit: number | null;
  readonly pace: number;
  /** What is counted, such as "messages in a chat". */
  readonly what: string;
}

function platformOf(name: string): Platform | undefined {
  return platforms.find((each) => each.name === name);
}

/** No rate, or 0, is no limit. */
function isFaster(given: number | null, than: number): boolean {
  return given === null || given === 0 || given > than * 1.0001;
}

function paceFinding(
  where: string,
  given: number | null,
  { limit, pace, what }: Allowed,
): Finding[] {
  if (!isFaster(given, pace)) return [];
  const fix = `set its rate_rps to ${rate(pace)} or less, or leave it out`;
  const known =
    limit === null ? '' : `, and the platform takes about ${rate(limit)} a second (${what})`;
  if (given === null || given === 0) {
    return [warning(where, `it has no limit${known}: it will be asked to wait`, fix)];
  }
  const says = `its rate_rps is ${rate(given)}${known}`;
  return limit !== null && isFaster(given, limit)
    ? [warning(where, `${says}: it will be asked to wait`, fix)]
    : [info(where, `${says}; ${rate(pace)} leaves room for calls that are late`, fix)];
}

export const channelPaces: DoctorCheck = {
  name: 'channel_paces',
  area: 'channels',
  asks: 'is no channel faster than its platform allows in one chat',
  needs: 'workspace',
  look({ channels, chats }) {
    return channels.flatMap(({ channelId, platform: name, rateRps }): Finding[] => {
      const platform = platformOf(name);
      if (platform === undefined) return [];
      const where = `channel ${channelId}`;
      const { pace, limits } = platform;
      const limit = limits?.channelRps ?? null;
      const allowed = { limit, pace: pace.channelRps, what: 'messages in a chat' };
      const found = paceFinding(where, rateRps, allowed);
      if (found.length > 0) return found;
      const inspection = chats.get(channelId);
      const own = inspection?.ok === true ? inspection.channelRps : undefined;
      if (own === undefined || !isFaster(rateRps, own)) return [];
      const says = `its rate_rps is ${rate(rateRps ?? 0)}, and chats of its kind take ${rate(own * 60)} messages a minute: in a burst it will be asked to wait`;
      return [info(where, says, `set its rate_rps to ${rate(Math.floor(own * 100) / 100)}`)];
    });
  },
};

export const groupPaces: DoctorCheck = {
  name: 'group_paces',
  area: 'channels',
  asks: 'is no rate group faster than its platform allows for one account, and does no credential have two of them',
  needs: 'workspace',
  look(workspace) {
    const { groups } = workspace;
    const tooFast = groups
      .filter(({ channels }) => channels > 0)
      .flatMap(({ platform, rateGroup, rateRps, authRefs }): Finding[] => {
        const allowed = allowedWith(workspace, platform, authRefs);
        if (allowed === undefined) return [];
        return paceFinding(`rate group ${platform}/${rateGroup}`, rateRps, allowed);
      });
    return [...tooFast, ...splitCredentials(workspace)];
  },
};

/** What the slowest of these credentials allows. */
function allowedWith(
  { tokens }: AskedWorkspace,
  name: string,
  authRefs: readonly string[],
): Allowed | undefined {
  const platform = platformOf(name);
  if (platform === undefined) return undefined;
  const what = 'calls with one account';
  const own = authRefs.map((ref) => {
    const answer = tokens.get(ref);
    return answer?.kind === 'good' ? answer.groupRps : undefined;
  });
  const known = own.filter((each) => each !== undefined);
  if (known.length === 0 || known.length < own.length) {
    return { limit: platform.limits?.groupRps ?? null, pace: platform.pace.groupRps, what };
  }
  const limit = Math.min(...known);
  return { limit, pace: limit / 1.2, what };
}

/** Each group keeps to the limit, and together they do not. */
function splitCredentials(workspace: AskedWorkspace): Finding[] {
  const { credentials, groups } = workspace;
  return credentials.flatMap(({ authRef, platform }): Finding[] => {
    const using = groups.filter(
      (each) => each.platform === platform && each.authRefs.includes(authRef),
    );
    const allowed = allowedWith(workspace, platform, [authRef]);
    if (using.length < 2 || allowed === undefined) return [];
    const rates = using.map(({ rateRps }) => rateRps || Number.POSITIVE_INFINITY);
    const sum = rates.reduce((total, each) => total + each, 0);
    if (!isFaster(sum, allowed.limit ?? allowed.pace)) return [];
    const names = some(using.map((each) => each.rateGroup));
    const says = `rate groups ${names} send with it, and each has a limit of its own: together they are faster than the platform allows`;
    return [warning(`credential ${authRef}`, says, 'let its channels be in one rate group')];
  });
}
