// All checks, in the order in which they are told.

import { alertTargets } from './checks/alert-targets.ts';
import { authorities } from './checks/authorities.ts';
import { botWebhooks } from './checks/bot.ts';
import { broker } from './checks/broker.ts';
import {
  channelChats,
  channelStates,
  channelTwins,
  idleChannels,
  postingWindows,
  templates,
} from './checks/channels.ts';
import { clockOfDatabase, clockOfPlatforms } from './checks/clocks.ts';
import { databaseConnections, databaseTimeouts } from './checks/connections.ts';
import {
  credentialSecrets,
  credentialTokens,
  credentialTwins,
  endpointSecrets,
} from './checks/credentials.ts';
import { diskSpace } from './checks/disk.ts';
import { databaseDurability } from './checks/durability.ts';
import { installationSecrets, payloadKeys } from './checks/installation-secrets.ts';
import { mediaStore } from './checks/media-store.ts';
import { databaseReachable, databaseSchema } from './checks/opening.ts';
import { channelPaces, groupPaces } from './checks/paces.ts';
import { databaseRights } from './checks/rights.ts';
import { eventPartitions, schemaDrift, sequences } from './checks/schema.ts';
import { missingRoles, signsOfLife } from './checks/services.ts';
import { pullSources } from './checks/sources.ts';
import { databaseEncoding, databaseVersion } from './checks/suitability.ts';
import {
  databaseTransactions,
  preparedTransactions,
  replicationSlots,
} from './checks/transactions.ts';
import { databaseVacuum } from './checks/vacuum.ts';
import type { DoctorCheck } from './installation.ts';

/** Those of `outrider channels doctor`. */
export const checksOfChannels: readonly DoctorCheck[] = [
  credentialSecrets,
  credentialTokens,
  credentialTwins,
  channelChats,
  channelTwins,
  channelStates,
  channelPaces,
  groupPaces,
  postingWindows,
  templates,
];

export const checks: readonly DoctorCheck[] = [
  databaseReachable,
  databaseVersion,
  databaseEncoding,
  databaseRights,
  databaseSchema,
  schemaDrift,
  databaseDurability,
  databaseConnections,
  databaseTimeouts,
  databaseVacuum,
  databaseTransactions,
  preparedTransactions,
  replicationSlots,
  eventPartitions,
  sequences,
  clockOfDatabase,
  clockOfPlatforms,
  diskSpace,
  mediaStore,
  installationSecrets,
  authorities,
  payloadKeys,
  broker,
  signsOfLife,
  missingRoles,
  ...checksOfChannels,
  idleChannels,
  endpointSecrets,
  pullSources,
  alertTargets,
  botWebhooks,
];
