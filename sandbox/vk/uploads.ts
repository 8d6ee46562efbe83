// The upload server. It takes a file at an address that was handed out, and answers with a receipt that only the
// matching save method takes.

import { createHash } from 'node:crypto';
import type { SandboxReply, SandboxRequest, UploadedFile } from '../simulator.ts';
import { json } from './edge.ts';
import { acceptedPicture } from './photo-rules.ts';

/** Who an upload address was given to, and for what. */
export interface UploadTicket {
  readonly albumId: number;
  /** As in owner_id: communities are negative. */
  readonly actorId: number;
  readonly groupId?: number | undefined;
  readonly expiresAt: number;
}

/** What the upload server answered, and what it was about. */
export interface Receipt {
  readonly ticket: UploadTicket;
  readonly server: number;
  /** A JSON string within JSON: handed back unchanged. */
  readonly photo: string;
  readonly hash: string;
  readonly file: UploadedFile;
  readonly width: number;
  readonly height: number;
}

export interface Uploads {
  /** The path and query of a new upload address. */
  open(ticket: UploadTicket): string;
  ticketOf(path: string): UploadTicket | undefined;
  receive(request: SandboxRequest, now: number): SandboxReply;
  /** The answer to an upload that went wrong; like VK's, it has status 200 and no photo. */
  failed(): SandboxReply;
  find(hash: string): Receipt | undefined;
  /** The next `times` uploads fail. */
  failNext(times: number): void;
}

/** For a picture whose first bytes do not tell its size. */
const usualSize = { width: 1280, height: 853 };

export function createUploads(): Uploads {
  const tickets = new Map<string, UploadTicket>();
  const receipts = new Map<string, Receipt>();
  let opened = 0;
  let received = 0;
  let toFail = 0;

  function failed(): SandboxReply {
    received += 1;
    return json({ server: 848_000 + received, photo: '[]', hash: digest(`failed ${received}`) });
  }

  function accept(ticket: UploadTicket, file: UploadedFile): Receipt | undefined {
    const picture = acceptedPicture(file);
    if (picture === undefined) return undefined;
    received += 1;
    const { width, height } = picture.size ?? usualSize;
    const kid = digest(`${file.sha256} ${received}`);
    const photo = JSON.stringify([
      {
        markers_restarted: true,
        photo: `${kid.slice(0, 10)}:w`,
        sizes: [],
        latitude: 0,
        longitude: 0,
        kid,
        sizes2: [['max', kid.slice(0, 40), String(received), width, height]],
        urls: [],
      },
    ]);
    const hash = digest(`receipt ${received} ${photo}`);
    return { ticket, server: 848_000 + received, photo, hash, file, width, height };
  }

  return {
    open(ticket) {
      opened += 1;
      const name = digest(`ticket ${opened} ${ticket.actorId}`);
      tickets.set(name, ticket);
      const query = new URLSearchParams({
        act: 'do_add',
        mid: String(ticket.actorId),
        aid: String(ticket.albumId),
        gid: String(ticket.groupId ?? 0),
      });
      return `/upload/${name}?${query.toString()}`;
    },
    ticketOf: (path) => tickets.get(path.replace('/upload/', '')),
    receive(request, now) {
      const ticket = tickets.get(request.path.replace('/upload/', ''));
      const file = request.files.find((each) => each.field === 'photo');
      if (toFail > 0) {
        toFail -= 1;
        return failed();
      }
      if (ticket === undefined || ticket.expiresAt <= now || file === undefined) return failed();
      const receipt = accept(ticket, file);
      if (receipt === undefined) return failed();
      receipts.set(receipt.hash, receipt);
      return json({ server: receipt.server, photo: receipt.photo, hash: receipt.hash });
    },
    failed,
    find: (hash) => receipts.get(hash),
    failNext(times) {
      toFail = times;
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
