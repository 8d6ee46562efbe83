// The pages: the stage, one chat on its own, what is simulated.

import { escapeHtml } from '../drawing/escape.ts';
import { drawParts, type Part } from './parts.ts';
import { mostPhotos } from './post-form.ts';
import { drawView } from './shown-chats.ts';
import type { StageState } from './state.ts';

export interface Reader {
  readonly mayAct: boolean;
  readonly hasWrongToken: boolean;
}

const mostOnItsPage = 1000;

export function stagePage(state: StageState, reader: Reader): string {
  const { mayAct } = reader;
  const parts = drawParts(state, mayAct);
  const named = (name: string): string => parts.find((each) => each.name === name)?.html ?? '';
  const main = `
<div class="desk">
${panel('post', 'Post', drawForm(state, mayAct) + `<div id="said" role="status">${named('said')}</div>`)}
${panel('faults', 'Faults', named('faults'))}
</div>
<div class="chats" id="chats">
<h2 class="unseen">Chats</h2>
${state.simulators.map(({ platform }) => drawGroup(state, platform, parts)).join('\n')}
</div>
<div class="desk more">
${state.outrider === undefined ? '' : panel('posts', 'On their way', named('posts') + resumeForm(mayAct))}
${panel('clock', 'Clock of the platforms', named('clock') + clockForm(mayAct))}
</div>
<div class="under">
${panel('calls', 'Calls to the platforms', named('calls'))}
</div>`;
  const notice = noticeFor(reader);
  return page({ state, title: 'Outrider sandbox', isLive: true, mayAct, notice }, main);
}

function noticeFor({ mayAct, hasWrongToken }: Reader): string {
  if (mayAct) return '';
  const why = hasWrongToken
    ? 'That token is not the one of this sandbox, which may have been started anew. '
    : '';
  return `<p class="notice" id="read-only">${why}You can look, but not change anything: that takes the address with the token, which the terminal shows.</p>`;
}

function panel(id: string, title: string, inside: string): string {
  return `<section class="panel" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${inside}</section>`;
}

function drawGroup(state: StageState, platform: string, parts: readonly Part[]): string {
  const title = escapeHtml(state.titles[platform] ?? platform);
  const chats = parts.filter((each) => each.group === platform).map(({ html }) => html);
  const none = chats.length === 0 ? '<p class="quiet">No chat yet.</p>' : '';
  return `<section class="group" data-group="${escapeHtml(platform)}" aria-label="Chats of ${title}">${none}${chats.join('\n')}</section>`;
}

const placeholder = 'Ginger, answers to Bim. Last seen near the station.';

function drawForm({ outrider }: StageState, mayAct: boolean): string {
  if (outrider === undefined) {
    return '<p class="quiet">No Outrider posts into these chats: <code>outrider up --sandbox</code> runs one with them. Point a program of yours at the platforms of this sandbox instead.</p>';
  }
  const endpoints = outrider.endpoints.map((id) => `<option>${escapeHtml(id)}</option>`).join('');
  return `<form id="post-form" method="post" action="/stage/post"><fieldset${mayAct ? '' : ' disabled'}>
<label for="post-heading">Title</label><input id="post-heading" name="title" maxlength="1000" placeholder="Lost dog" autocomplete="off">
<label for="post-text">Text</label><textarea id="post-text" name="text" rows="4" maxlength="65536" placeholder="${placeholder}"></textarea>
<div class="two"><div><label for="post-tags">Tags</label><input id="post-tags" name="tags" placeholder="lost, found, deal" autocomplete="off"></div>
<div><label for="post-photos">Sample photos</label><input id="post-photos" name="photos" type="number" min="0" max="${mostPhotos}" value="0"></div></div>
<details><summary>Links, buttons, endpoint</summary>
<label for="post-media">Media links, one in a line</label><textarea id="post-media" name="media" rows="2" placeholder="https://example.org/bim.jpg"></textarea>
<label for="post-url">Link to read on</label><input id="post-url" name="url" type="url" placeholder="https://example.org/posts/42" autocomplete="off">
<label for="post-buttons">Buttons, one in a line</label><textarea id="post-buttons" name="buttons" rows="2" placeholder="Call | https://example.org/call"></textarea>
<label for="post-endpoint">Endpoint</label><select id="post-endpoint" name="endpoint">${endpoints}</select>
<p class="quiet">Programs post to <code>${escapeHtml(outrider.ingestUrl)}</code>.</p></details>
<button class="main">Post</button></fieldset></form>`;
}

function resumeForm(mayAct: boolean): string {
  if (!mayAct) return '';
  return '<form id="resume-form" method="post" action="/stage/resume"><button class="plain" title="Resumes channels and credentials that stopped because a platform said no">Resume what was stopped</button></form><p class="quiet">Posts that have failed stay failed. <code>outrider deliveries requeue --since 1d --reason …</code> sends them again.</p>';
}

const steps = [
  [60, '1 min'],
  [3600, '1 h'],
  [86_400, '1 day'],
] as const;

function clockForm(mayAct: boolean): string {
  if (!mayAct) return '';
  const buttons = steps.map(
    ([seconds, words]) =>
      `<button class="plain" name="ahead" value="${seconds}">+ ${words}</button>`,
  );
  return `<form id="clock-form" method="post" action="/stage/clock">${buttons.join(' ')}</form>`;
}

/** The page of one chat, at /chats/<platform>/<chat>; undefined when there is none. */
export function chatPage(state: StageState, path: string): string | undefined {
  const [, , platform, ...rest] = path.split('/');
  const simulator = state.simulators.find((each) => each.platform === platform);
  const view = simulator?.chats().find((each) => each.chat === rest.join('/'));
  if (simulator === undefined || view === undefined) return undefined;
  const chat = drawView(simulator, view, { most: mostOnItsPage, mayAct: false, headingLevel: 2 });
  return page({ state, title: view.title, isLive: false }, `<div class="alone">${chat}</div>`);
}

export function methodsPage(state: StageState): string {
  const { simulators, titles } = state;
  const lists = simulators.map(({ platform, methods }) => {
    const names = methods.map((name) => `<code>${escapeHtml(name)}</code>`);
    return panel(
      escapeHtml(platform),
      escapeHtml(titles[platform] ?? platform),
      `<p class="methods">${names.join(' ')}</p>`,
    );
  });
  return page(
    { state, title: 'What is simulated', isLive: false },
    `<div class="alone">${lists.join('')}</div>`,
  );
}

export function refusedPage(state: StageState, why: string): string {
  return page(
    { state, title: 'Not changed', isLive: false },
    `<div class="alone"><p class="notice">${escapeHtml(why)}</p></div>`,
  );
}

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 24 24%22%3E%3Crect width=%2224%22 height=%2224%22 rx=%227%22 fill=%22%233a5bd0%22/%3E%3Cpath d=%22M5 12l14-6-5 13-3-5z%22 fill=%22white%22/%3E%3C/svg%3E';

interface Head {
  readonly state: StageState;
  readonly title: string;
  readonly isLive: boolean;
  readonly mayAct?: boolean;
  readonly notice?: string;
}

function page({ state, title, isLive, mayAct = false, notice = '' }: Head, main: string): string {
  const played = new Intl.ListFormat('en-GB').format(Object.values(state.titles));
  // Without scripts a page that only shows loads itself again. One with forms would lose what was typed.
  const again = mayAct ? '' : '<noscript><meta http-equiv="refresh" content="5"></noscript>';
  const live = '<span id="live" class="live" data-state="still">Reload to see what is new</span>';
  const statusUrl = state.outrider?.statusUrl;
  const status =
    statusUrl === undefined ? '' : `<a href="${escapeHtml(statusUrl)}">Status page of Outrider</a>`;
  const script = isLive ? '<script src="/stage/stage.js" defer></script>' : '';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">${again}
<title>${escapeHtml(title)}</title><link rel="icon" href="${icon}"><link rel="stylesheet" href="/stage/stage.css">${script}</head>
<body class="stage"><a class="skip" href="#main">Skip to the content</a>
<header class="top"><h1><a href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 12l18-8-7 17-3-7z"/></svg>Outrider</a></h1><p>${escapeHtml(played)}, played on this machine</p>${isLive ? live : ''}</header>
${notice}<main id="main"${isLive ? ' class="scene"' : ''}>${main}</main>
<footer class="foot">${status}<a href="/methods">What is simulated</a><a href="/chats">Chats as JSON</a><a href="/faults">Faults as JSON</a></footer>
</body></html>
`;
}
