// Makes text and addresses fit for HTML.

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The address for an href; undefined when a click on it could run code. */
export function safeHref(url: string): string | undefined {
  return /^(https?|tg|mailto|tel):/i.test(url) ? escapeHtml(url) : undefined;
}
