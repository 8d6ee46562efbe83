// The header: which workspace is shown, the search, and whether the page is up to date.

import type { Workspace } from '../../db/inspect.ts';
import { type Html, html, plain } from '../html.ts';
import { type Section, section } from '../section.ts';
import { clockTime } from '../words.ts';

export interface HeaderOptions {
  readonly workspaces: readonly Workspace[];
  readonly workspaceId: string | undefined;
  readonly search?: string | undefined;
  /** When the page was read; undefined where it does not change. */
  readonly now?: Date | undefined;
  /** Whether somebody can sign out. */
  readonly canLeave: boolean;
}

export function header({ workspaces, workspaceId, search, now, canLeave }: HeaderOptions): Html {
  return html`
${workspaces.length > 1 ? chooser(workspaces, workspaceId) : ofOne(workspaces[0])}
${workspaceId === undefined ? undefined : searchForm(workspaceId, search)}
${now === undefined ? undefined : freshness(now)}
${canLeave ? html`<form method="post" action="/status/logout"><button class="quiet">Sign out</button></form>` : undefined}`;
}

function freshness(now: Date): Html {
  return html`<p class="asof"><span id="live" class="live" hidden></span> ${asOfWords(now)}</p>`;
}

/** As of when the page is; kept up to date. */
export function asOf(now: Date): Section {
  return section('as-of', asOfWords(now));
}

function asOfWords(now: Date): Html {
  return html`<span id="as-of">as of ${clockTime(now)}</span>`;
}

function ofOne(workspace: Workspace | undefined): Html | undefined {
  return workspace === undefined ? undefined : html`<p class="workspace">${workspace.name}</p>`;
}

function chooser(workspaces: readonly Workspace[], workspaceId: string | undefined): Html {
  const options = workspaces.map(({ workspaceId: id, name }) => {
    const words = name === id ? name : `${name} (${id})`;
    return id === workspaceId
      ? html`<option value="${plain(id)}" selected>${words}</option>`
      : html`<option value="${plain(id)}">${words}</option>`;
  });
  return html`<form class="chooser" action="/status" role="group" aria-label="Workspace"><label class="unseen" for="workspace">Workspace</label><select id="workspace" name="workspace">${options}</select><button>Show</button></form>`;
}

function searchForm(workspaceId: string, search: string | undefined): Html {
  return html`<form class="search" action="/status/posts" role="search"><input type="hidden" name="workspace" value="${plain(workspaceId)}"><label class="unseen" for="q">Find a post</label><input id="q" name="q" type="search" maxlength="200" placeholder="Find a post: words, id, reference" value="${plain(search ?? '')}"><button>Find</button></form>`;
}
