// The draft of the policy: it stays in this browser, and in the cluster, until it is in force, discarded, or its operator
// signs out.

import { ask } from './api.js';

const NAME = 'weir.draft';
const PATH = '/v1/session/draft';
const PAUSE_MILLIS = 300;

/**
 * The newer draft of browser and cluster: `text`, `base`, the revision it began from, `compared`, the last one, and `at`; and
 * the newest `other` one of a session of the same operator.
 */
export async function kept() {
  const { other, ...stored } = await ask(PATH).catch(() => ({}));
  let own = null;
  try {
    own = JSON.parse(window.localStorage.getItem(NAME));
  } catch {
    // no storage, or no draft
  }
  return { draft: stored.at > Math.max(keptAt, own?.at || 0) ? stored : own, other };
}

let timer = 0;
// The cluster may still have an older one.
let keptAt = 0;

/** Keeps a draft; null ends it. */
export function keep(draft) {
  try {
    window.localStorage.setItem(NAME, JSON.stringify(draft));
  } catch {
    // A draft that is too long for the browser lasts as long as the page.
  }
  keptAt = Date.now();
  clearTimeout(timer);
  // Without the cluster it is that of this browser.
  timer = setTimeout(() => ask(PATH, draft ? { method: 'PUT', json: draft } : { method: 'DELETE' }).catch(() => {}), draft ? PAUSE_MILLIS : 0);
}
