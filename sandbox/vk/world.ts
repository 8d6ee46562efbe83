// The state of the simulator, and the type of one call.

import type { Clock } from '../clock.ts';
import { createFloodControl, type FloodControl } from '../flood.ts';
import type { SimulatorContext } from '../simulator.ts';
import { type Accounts, type Actor, createAccounts } from './accounts.ts';
import { createDialogues, type Dialogues } from './dialogues.ts';
import { createHindrances, type Hindrances } from './hindrances.ts';
import { type Limits, usualLimits } from './limits.ts';
import type { Parameters } from './parameters.ts';
import { createPhotoAlbum, type PhotoAddresses, type PhotoAlbum } from './photos.ts';
import { createWalls, type Walls } from './posts.ts';
import { createUploads, type Uploads } from './uploads.ts';

export interface World {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly accounts: Accounts;
  readonly walls: Walls;
  readonly album: PhotoAlbum;
  readonly uploads: Uploads;
  readonly dialogues: Dialogues;
  readonly hindrances: Hindrances;
  readonly flood: FloodControl;
  /** Post ids by sender, wall and guid. */
  readonly guids: Map<string, { readonly postId: number; readonly at: number }>;
  readonly makesChats: boolean;
  readonly report: SimulatorContext['report'];
  limits: Limits;
}

/** One call of a method that has passed the gate. */
export interface Call {
  readonly world: World;
  readonly parameters: Parameters;
  readonly actor: Actor;
  /** The rights of the token. */
  readonly scopes: ReadonlySet<string>;
  /** The number behind the dot of `v`: 5.199 → 199. */
  readonly version: number;
  /** Another call with the same token, inside this one. */
  also(method: string, values: unknown): unknown;
}

export function createWorld({ clock, baseUrl, makesChats, report }: SimulatorContext): World {
  return {
    clock,
    baseUrl,
    accounts: createAccounts(),
    walls: createWalls(),
    album: createPhotoAlbum(),
    uploads: createUploads(),
    dialogues: createDialogues(),
    hindrances: createHindrances(),
    flood: createFloodControl(clock),
    guids: new Map(),
    makesChats,
    report,
    limits: { ...usualLimits },
  };
}

export function addressesOf({ baseUrl, clock, limits }: World): PhotoAddresses {
  return { baseUrl, clock, lifetimeMs: limits.photo_url_s * 1000 };
}

/** The time in whole seconds, as VK counts it. */
export function secondsOf({ clock }: World): number {
  return Math.floor(clock.now() / 1000);
}
