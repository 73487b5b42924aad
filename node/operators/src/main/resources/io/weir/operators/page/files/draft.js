// The one draft of the policy: it stays in this browser, and in the cluster, until it is in force, discarded, or its
// operator signs out.

import { ask } from './api.js';

const NAME = 'weir.draft';
const PATH = '/v1/session/draft';
const PAUSE_MILLIS = 300;

/**
 * The draft: its `text`, the revision `base` from which it began, `compared`, the text that was compared last, and `at`.
 * The newer of this browser's, and that of its operator, which may be of the page of another node.
 */
export async function kept() {
  const stored = await ask(PATH).catch(() => ({}));
  const own = JSON.parse(localStorage.getItem(NAME));
  return stored.at > Math.max(keptAt, own?.at || 0) ? stored : own;
}

let timer = 0;
// What this page has ended may be in the cluster for a moment.
let keptAt = 0;

/** Keeps a draft; null ends it. */
export function keep(draft) {
  try {
    localStorage.setItem(NAME, JSON.stringify(draft));
  } catch {
    // A draft that is too long for the browser lasts as long as the page.
  }
  keptAt = Date.now();
  clearTimeout(timer);
  // Without the cluster it is that of this browser.
  timer = setTimeout(() => ask(PATH, draft ? { method: 'PUT', json: draft } : { method: 'DELETE' }).catch(() => {}), PAUSE_MILLIS);
}
