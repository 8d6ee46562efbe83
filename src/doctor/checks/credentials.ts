// Whether the credentials can be read, and whether the platforms take them.

import { credentialName } from '../../adapters/credentials.ts';
import { maskText } from '../../masking.ts';
import { critical, type Finding, warning } from '../finding.ts';
import type { AskedWorkspace, DoctorCheck, TokenAnswer } from '../installation.ts';
import { openFileFindings, referenceFindings } from '../secret-files.ts';
import { some } from '../words.ts';

const runWhere = 'set it where the dispatcher runs, and run this with the same environment';

export const credentialSecrets: DoctorCheck = {
  name: 'credential_secrets',
  area: 'credentials',
  asks: 'is every credential that channels name bound to a secret, can the secret be read here, and only by us',
  needs: 'workspace',
  async look({ credentials, tokens, channels }) {
    const found = await Promise.all(
      credentials.map(async (credential): Promise<Finding[]> => {
        const { authRef, secretRef } = credential;
        const where = `credential ${authRef}`;
        const answer = tokens.get(authRef);
        if (answer?.kind === 'unbound') {
          const users = channels.filter((each) => each.authRef === authRef);
          const says = `channels ${some(users.map((each) => each.channelId))} send with it, and no secret is bound to it`;
          return [
            critical(
              where,
              says,
              'put it under credentials of the file, and outrider apply <file>',
            ),
          ];
        }
        if (answer?.kind === 'unreadable') {
          return [
            critical(
              where,
              `${credentialName(credential)} cannot be read here: ${answer.reason}`,
              runWhere,
            ),
          ];
        }
        return openFileFindings(secretRef ?? '', where);
      }),
    );
    return found.flat();
  },
};

export const credentialTokens: DoctorCheck = {
  name: 'credential_tokens',
  area: 'credentials',
  asks: 'does the platform take every token, and has it the rights that posting needs',
  needs: 'workspace',
  look({ credentials, tokens }) {
    return credentials.flatMap(({ authRef, platform }) =>
      tokenFindings(authRef, platform, tokens.get(authRef)),
    );
  },
};

const unreachable = 'see that the platform can be reached from here, and look again later';

/** What to do when a platform said nothing about a token, by the code of the error. */
const fixesOfSilence: Readonly<Record<string, string>> = {
  unreachable,
  read_failed: unreachable,
  aborted: 'nothing: look again later',
};

function tokenFindings(
  authRef: string,
  platform: string,
  answer: TokenAnswer | undefined,
): Finding[] {
  const where = `credential ${authRef}`;
  if (answer?.kind === 'no_adapter') {
    const says = `there is no adapter for platform "${platform}"`;
    return [critical(where, says, 'correct its platform, and outrider apply <file>')];
  }
  if (answer?.kind === 'refused') {
    const { message, remedy = 'replace the token' } = answer.error;
    const says = maskText(`${platform} refuses it: ${message}`);
    return [critical(where, says, `${remedy}, then outrider auth check ${authRef}`)];
  }
  if (answer?.kind === 'not_asked') {
    const { code, message } = answer.error;
    const says = maskText(`${platform} could not be asked about it: ${message}`);
    return [
      warning(where, says, fixesOfSilence[code] ?? `docs/adapters.md says what ${code} means`),
    ];
  }
  if (answer?.kind !== 'good') return [];
  return answer.faults.map(({ blocks, message, remedy }) =>
    (blocks ? critical : warning)(where, message, remedy),
  );
}

/** A credential in one of the workspaces. */
interface Owned {
  readonly account: string;
  readonly name: string;
  readonly groups: string;
}

export const credentialTwins: DoctorCheck = {
  name: 'credential_twins',
  area: 'credentials',
  asks: 'do two rate groups send with one account: the platform counts both against one limit',
  needs: 'platforms',
  look({ workspaces }) {
    const owned = workspaces.flatMap((workspace) => ownedIn(workspace));
    return [...Map.groupBy(owned, ({ account }) => account)].flatMap(([account, users]) => {
      const groups = new Set(users.map((each) => each.groups));
      if (groups.size < 2) return [];
      const says = `${account} is behind ${some(users.map((each) => each.name))}: rate groups that do not know of one another share its limit`;
      const fix =
        'let the channels of one account be in one rate group, or take an account for each';
      return [warning(`account ${account}`, says, fix)];
    });
  },
};

function ownedIn({ workspaceId, credentials, tokens, channels }: AskedWorkspace): Owned[] {
  return credentials.flatMap(({ authRef, platform }) => {
    const answer = tokens.get(authRef);
    if (answer?.kind !== 'good') return [];
    const groups = new Set(
      channels
        .filter((each) => each.authRef === authRef && each.enabled)
        .map((each) => each.rateGroup),
    );
    return [...groups].map((group) => ({
      account: `${platform} ${answer.account}`,
      name: `rate group ${group} of workspace ${workspaceId} (credential ${authRef})`,
      groups: `${workspaceId} ${group}`,
    }));
  });
}

export const endpointSecrets: DoctorCheck = {
  name: 'endpoint_secrets',
  area: 'credentials',
  asks: 'can the signing secrets of endpoints be read here, and only by us',
  needs: 'workspace',
  async look({ more, secrets }) {
    const found = await Promise.all(
      more.endpoints.map(async ({ endpoint_id: id, signing_secret_ref: ref }) => {
        if (ref === null) return [];
        const named = `the signing_secret_ref of endpoint ${id}`;
        return referenceFindings(secrets, ref, named, `endpoint ${id}`);
      }),
    );
    return found.flat();
  },
};
