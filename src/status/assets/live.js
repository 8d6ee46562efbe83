// Keeps the page up to date. Without it the page is complete, and a reload brings it up to date.
// New markup is merged into what is there, so that focus, selection, scroll position and open details stay as they are.

(() => {
  const root = document.documentElement;
  const address = root.dataset.live;
  if (!address || !window.EventSource) return;
  const light = document.getElementById('live');
  const spoken = document.getElementById('spoken');
  let version = root.dataset.version;
  let source;
  let waitMs = 1000;

  function connect() {
    source = new EventSource(`${address}&version=${encodeURIComponent(version)}`);
    source.addEventListener('open', () => {
      waitMs = 1000;
      show('live', 'live');
    });
    source.addEventListener('message', (event) => update(JSON.parse(event.data)));
    source.addEventListener('error', () => {
      show('lost', 'connection lost');
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, 30_000);
    });
  }

  function show(state, words) {
    light.hidden = false;
    if (light.textContent === words) return;
    light.className = state;
    light.textContent = words;
  }

  function update(pieces) {
    // After a reconnect everything is sent.
    version = '';
    const before = verdict();
    const focused = document.activeElement;
    for (const { id, html } of pieces) {
      const old = document.getElementById(id);
      const template = document.createElement('template');
      template.innerHTML = html;
      const next = template.content.firstElementChild;
      if (old && next) merge(old, next);
    }
    // A row that has moved has lost it.
    if (focused !== document.activeElement && focused.isConnected) {
      focused.focus({ preventScroll: true });
    }
    if (verdict() !== before) spoken.textContent = verdict();
  }

  function verdict() {
    return document.getElementById('verdict-words')?.textContent;
  }

  function merge(old, next) {
    if (old.isEqualNode(next)) return;
    const isSame = old.nodeType === next.nodeType && old.nodeName === next.nodeName;
    if (!isSame || (old.id ?? '') !== (next.id ?? '')) {
      old.replaceWith(next);
    } else if (old.nodeType === Node.ELEMENT_NODE) {
      mergeAttributes(old, next);
      mergeChildren(old, next);
    } else {
      old.nodeValue = next.nodeValue;
    }
  }

  function mergeAttributes(old, next) {
    for (const { name, value } of next.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    for (const { name } of Array.from(old.attributes)) {
      // Whether details are open is the reader's.
      if (name !== 'open' && !next.hasAttribute(name)) old.removeAttribute(name);
    }
  }

  function mergeChildren(old, next) {
    const known = new Map(
      [...old.children].filter((each) => each.id).map((each) => [each.id, each]),
    );
    let place = old.firstChild;
    for (const child of Array.from(next.childNodes)) {
      const same = child.id ? known.get(child.id) : undefined;
      if (same && same !== place) old.insertBefore(same, place);
      if (same) {
        merge(same, child);
        place = same.nextSibling;
      } else if (place && !child.id && !place.id) {
        const after = place.nextSibling;
        merge(place, child);
        place = after;
      } else {
        old.insertBefore(child, place);
      }
    }
    while (place) {
      const after = place.nextSibling;
      place.remove();
      place = after;
    }
  }

  connect();
})();
