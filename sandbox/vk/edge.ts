// The edge in front of VK answers with pages, not with JSON.

import { STATUS_CODES } from 'node:http';
import type { ReaderFault, SandboxReply } from '../simulator.ts';

function page(status: number, title: string): SandboxReply {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>kittenx</center>\r\n</body>\r\n</html>\r\n`,
  };
}

export const notFoundPage = page(404, '404 Not Found');

/** For a 5xx status: nobody behind the edge answered. */
export function edgePage(status: number): SandboxReply {
  return page(status, `${status} ${STATUS_CODES[status] ?? 'Error'}`);
}

export function unreadablePage(fault: ReaderFault): SandboxReply {
  return fault.status === 413
    ? page(413, '413 Request Entity Too Large')
    : page(400, '400 Bad Request');
}

/** Every answer of the API and of the upload server comes with status 200. */
export function json(body: unknown): SandboxReply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}
