// Whether the chats of channels are there and take posts, and whether channels send.

import { maskText } from '../../masking.ts';
import { critical, type Finding, info, warning } from '../finding.ts';
import type { AskedWorkspace, DoctorCheck } from '../installation.ts';
import { some } from '../words.ts';

type Inspection = NonNullable<ReturnType<AskedWorkspace['chats']['get']>>;

const fixes: Readonly<Record<string, string>> = {
  chat_not_found: 'correct target_id in the file and outrider apply it, or take the channel out',
  not_allowed: 'let the account in again, with the right to post',
  settings: 'correct the settings of the channel in the file, and outrider apply <file>',
  credential_refused: 'outrider auth check says what to do about the credential',
};

/** What a look at a chat says about what posts to it: a channel or an alert target. */
export function chatFindings(where: string, targetId: string, inspection: Inspection): Finding[] {
  if (inspection.ok) {
    const { title, faults } = inspection;
    const chat = title === undefined ? targetId : `${targetId} (${title})`;
    return faults.map(({ blocks, message, remedy }) =>
      (blocks ? critical : warning)(where, maskText(`${chat}: ${message}`), remedy),
    );
  }
  const { code, message, category } = inspection.error;
  const says = maskText(`${targetId}: ${code}, ${message}`);
  const fix = fixes[code];
  if (fix !== undefined) return [critical(where, says, fix)];
  return category === 'TRANSIENT'
    ? [warning(where, `it could not be looked at: ${says}`, 'look again later')]
    : [critical(where, says, 'docs/adapters.md says what the code means')];
}

export const channelChats: DoctorCheck = {
  name: 'channel_chats',
  area: 'channels',
  asks: 'is the chat of every channel there, is the account in it, and may it post',
  needs: 'workspace',
  look({ channels, chats }) {
    return channels.flatMap(({ channelId, targetId }) => {
      const inspection = chats.get(channelId);
      if (inspection === undefined) return [];
      return chatFindings(`channel ${channelId}`, targetId, inspection);
    });
  },
};

export const channelTwins: DoctorCheck = {
  name: 'channel_twins',
  area: 'channels',
  asks: 'do two channels post to one chat, under two names of it or from two workspaces',
  needs: 'platforms',
  look({ workspaces }) {
    const posting = workspaces.flatMap(({ workspaceId, channels, chats }) =>
      channels
        .filter((each) => each.enabled)
        .map(({ channelId, platform, targetId }) => {
          const inspection = chats.get(channelId);
          const chat = inspection?.ok === true ? inspection.chatId : targetId;
          return { chat: `${platform} ${chat}`, name: `${channelId} of workspace ${workspaceId}` };
        }),
    );
    return [...Map.groupBy(posting, ({ chat }) => chat)]
      .filter(([, users]) => users.length > 1)
      .map(([chat, users]) => {
        const says = `channels ${some(users.map((each) => each.name))} post to one chat: it shows posts twice, at the pace of both`;
        return warning(`chat ${chat}`, says, 'take all but one of them out, or disable them');
      });
  },
};

export const channelStates: DoctorCheck = {
  name: 'channel_states',
  area: 'channels',
  asks: 'does a refusal of the platform keep a channel from sending, or do deliveries wait for a disabled one',
  needs: 'workspace',
  look({ channels }) {
    return channels.flatMap(({ channelId, state, stateReason, waiting, gates }): Finding[] => {
      const where = `channel ${channelId}`;
      const reason = stateReason === null ? '' : `: ${maskText(stateReason)}`;
      const refused = gates.find((each) => each.state === 'credential_refused');
      if (refused !== undefined) {
        const says = `it sends nothing because its credential was refused${reason}`;
        return [critical(where, says, 'replace the token, then outrider auth check')];
      }
      if (state === 'disabled') {
        // The operator who disabled it knows. But somebody expects the deliveries that wait for it.
        if (stateReason !== null && isByOperator(stateReason) && waiting === 0) return [];
        const backlog = waiting === 0 ? '' : `; deliveries that wait: ${waiting}`;
        const says = `it is disabled${reason}${backlog}`;
        return [
          warning(
            where,
            says,
            `outrider channels enable ${channelId} --reason … when the cause is gone`,
          ),
        ];
      }
      const pause = gates.find((each) => each.state === 'paused')?.reason ?? 'by an operator';
      if (!isByOperator(pause)) {
        const fix = `outrider channels resume ${channelId} --reason … when the cause is gone; or wait until the pause ends`;
        return [warning(where, `it is paused: ${maskText(pause)}`, fix)];
      }
      if (state === 'resting' || state === 'probing') {
        const says = `its rate group rests, because the platform was found ill${reason}`;
        return [
          warning(
            where,
            says,
            'nothing, if the platform is ill; else outrider events --errors says what it answered',
          ),
        ];
      }
      return [];
    });
  },
};

/** As `outrider channels` says who stopped a channel: `by ann: holidays`. A platform's refusal begins with its code. */
function isByOperator(reason: string): boolean {
  return reason.startsWith('by ');
}

export const postingWindows: DoctorCheck = {
  name: 'posting_windows',
  area: 'channels',
  asks: 'does the posting window of every channel open some time',
  needs: 'workspace',
  look({ more }) {
    return more.channels
      .filter((each) => each.never_opens)
      .map(({ channel_id: id }) => {
        const says = 'its posting window never opens: no post ever goes out';
        return critical(
          `channel ${id}`,
          says,
          'give its posting_window a span, or set window_mode: immediate',
        );
      });
  },
};

export const templates: DoctorCheck = {
  name: 'templates',
  area: 'channels',
  asks: 'does every channel name a template that is there, and can every template be rendered',
  needs: 'workspace',
  look({ more }) {
    const fix = 'correct it under templates of the file, and outrider apply <file>';
    return [
      ...more.channels.flatMap(({ channel_id: id, template_fault: fault }) =>
        fault === null
          ? []
          : [critical(`channel ${id}`, `its template is not there: ${fault}`, fix)],
      ),
      ...more.template_faults.map(({ template_id: id, version, fault }) =>
        critical(`template ${id}@${version}`, fault, fix),
      ),
    ];
  },
};

/** Nothing sends through it, and nobody may know. */
export const idleChannels: DoctorCheck = {
  name: 'idle_channels',
  area: 'channels',
  asks: 'is there an enabled channel at all, if posts can come in',
  needs: 'workspace',
  look({ channels, more, sources }) {
    // What people write to a bot is answered there, and goes to no channel.
    const takesPosts = more.endpoints.some(({ kind }) => kind === 'webhook_push');
    const comesIn = takesPosts || sources.some((each) => each.enabled);
    if (!comesIn || channels.some((each) => each.enabled)) return [];
    const says = 'posts come in, and no channel is enabled: none goes out';
    return [
      info(
        null,
        says,
        'add a channel to the file and outrider apply it, or outrider channels enable',
      ),
    ];
  },
};
