// Whether the processes that the configuration needs run, and are well.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck, Schema } from '../installation.ts';
import { some, span } from '../words.ts';

const silentMs = 30_000;
/** A publisher at work leaves no event for so long: it looks more often. */
const longestUnpublishedMs = 60_000;

type Service = Schema['installation']['services'][number];

function nameOf({ roles, host, pid }: Service): string {
  return `${roles.join(', ')} on ${host} (process ${pid})`;
}

export const signsOfLife: DoctorCheck = {
  name: 'signs_of_life',
  area: 'services',
  asks: 'does every process that ran today give signs of life, is it ready, can it keep media, is it of this version',
  needs: 'schema',
  look({ installation: { services, now }, version }) {
    return services.flatMap((service): Finding[] => {
      const where = `service ${nameOf(service)}`;
      const silence = now.getTime() - service.seen_at.getTime();
      if (silence > silentMs) {
        const says = `it has given no sign of life for ${span(silence)}`;
        return [
          critical(where, says, 'see whether it runs on that machine; if not, start it again'),
        ];
      }
      const found: Finding[] = [];
      if (!service.ready) {
        const says = 'it runs but is not ready: one of its roles cannot do its work';
        found.push(critical(where, says, 'its /readyz and its log say which role, and why'));
      }
      if (service.store_refuses !== null) {
        found.push(
          critical(where, service.store_refuses, 'docs/media.md says what the store needs'),
        );
      }
      if (service.version !== version) {
        const says = `it is version ${service.version}, and this is version ${version}`;
        found.push(warning(where, says, 'bring all processes to one version'));
      }
      return found;
    });
  },
};

/** The roles that a configuration needs, and why. */
function wantedRoles({ workspaces, installation }: Schema): { role: string; why: string }[] {
  const any = (has: (workspace: Schema['workspaces'][number]) => boolean): boolean =>
    workspaces.some(has);
  const { unpublished_since: since, now } = installation;
  const waitsLong = since !== null && now.getTime() - since.getTime() > longestUnpublishedMs;
  const endpoints = workspaces.flatMap(({ more }) => more.endpoints);
  return [
    {
      role: 'dispatch',
      why: 'posts wait and nobody sends them',
      needed: any(({ channels }) => channels.some((each) => each.enabled)),
    },
    {
      role: 'ingest',
      why: 'nobody takes posts in at the endpoints',
      needed: endpoints.some(({ kind }) => kind === 'webhook_push'),
    },
    {
      role: 'pull',
      why: 'nobody reads the sources',
      needed: any(({ sources }) => sources.some((each) => each.enabled)),
    },
    {
      role: 'bot',
      why: 'nobody answers what people write',
      needed: endpoints.some((each) => each.auth_ref !== null),
    },
    {
      role: 'monitor',
      why: 'nobody evaluates alerts or tells of them',
      needed: any(({ alertTargets }) => alertTargets.some((each) => each.enabled)),
    },
    {
      role: 'upkeep',
      why: 'nothing old is deleted, and no partitions are made ahead',
      needed: workspaces.length > 0,
    },
    {
      role: 'publish',
      why: 'events wait in the outbox and nobody publishes them',
      needed: waitsLong,
    },
  ].filter(({ needed }) => needed);
}

/** A dispatcher does the upkeep, too. Behind a gateway, other programs may send, read sources and tell of alerts. */
function alsoDone(role: string): string[] {
  if (role === 'dispatch') return ['upkeep'];
  return role === 'adapters' ? ['dispatch', 'upkeep', 'pull', 'monitor'] : [];
}

export const missingRoles: DoctorCheck = {
  name: 'missing_roles',
  area: 'services',
  asks: 'does a process run for every role that the configuration needs',
  needs: 'schema',
  look(schema) {
    const { services, now } = schema.installation;
    const alive = services.filter((each) => now.getTime() - each.seen_at.getTime() <= silentMs);
    const running = new Set(
      alive.flatMap(({ roles }) => roles.flatMap((role) => [role, ...alsoDone(role)])),
    );
    const missing = wantedRoles(schema).filter(({ role }) => !running.has(role));
    if (missing.length === 0) return [];
    const roles = missing.map(({ role }) => role);
    if (alive.length === 0) {
      const says = `no process of Outrider runs, and the configuration needs ${some(roles, 7)}`;
      return [
        critical(
          null,
          says,
          'outrider up runs all roles but publish; outrider publish runs that one',
        ),
      ];
    }
    return missing.map(({ role, why }) =>
      critical(
        `role ${role}`,
        `no process runs ${role}: ${why}`,
        role === 'publish' ? 'outrider publish' : `outrider run ${role}`,
      ),
    );
  },
};
