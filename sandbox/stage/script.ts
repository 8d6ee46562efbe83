// What the page does beyond what forms and links do: it shows changes as they come, and stays where it is when a form is
// sent. Without it everything works, page by page.

export const stageScript = `'use strict';
const live = document.getElementById('live');
const say = (state, words) => { live.dataset.state = state; live.textContent = words; };

/** The new messages of a chat are marked, so that they can be seen coming. */
function markNew(old, fresh) {
  const known = new Set([...old.querySelectorAll('[data-message]')].map((each) => each.dataset.message));
  for (const each of fresh.querySelectorAll('[data-message]')) {
    if (!known.has(each.dataset.message)) each.classList.add('new');
  }
}

function take({ name, html, group }) {
  const holder = document.createElement('template');
  holder.innerHTML = html;
  const fresh = holder.content.firstElementChild;
  const old = document.querySelector('[data-part="' + CSS.escape(name) + '"]');
  if (old === null) {
    const place = document.querySelector('[data-group="' + CSS.escape(group ?? '') + '"]');
    place?.querySelector(':scope > .quiet')?.remove();
    place?.append(fresh);
    return;
  }
  const scroll = old.querySelector('.scroll');
  if (scroll !== null) {
    markNew(old, fresh);
    old.querySelector('.chat-head').replaceWith(fresh.querySelector('.chat-head'));
    scroll.replaceChildren(...fresh.querySelector('.scroll').childNodes);
    return;
  }
  const focused = old.contains(document.activeElement) ? document.activeElement.id : '';
  old.replaceWith(fresh);
  if (focused !== '') document.getElementById(focused)?.focus();
}

const events = new EventSource('/stage/events');
events.onopen = () => say('live', 'Live');
events.onerror = () => say('lost', 'Not connected');
events.onmessage = ({ data }) => { take(JSON.parse(data)); tick(); };

/** While we are connected, a form is sent without leaving the page; the answer comes as an event. */
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (events.readyState !== EventSource.OPEN) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  const headers = { accept: 'application/json' };
  const button = event.submitter;
  if (form.id === 'post-form') button.disabled = true;
  fetch(form.action, { method: 'POST', body, headers })
    .then((answer) => { if (answer.ok && form.querySelector('input:not([type=hidden]), textarea')) form.reset(); })
    .catch(() => say('lost', 'Not connected'))
    .finally(() => { if (form.id === 'post-form') button.disabled = false; });
});

const face = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
function tick() {
  const now = document.getElementById('now');
  if (now?.dataset.runs === 'true') now.textContent = face.format(Date.now() + Number(now.dataset.shift));
}
setInterval(tick, 1000);
tick();
`;
