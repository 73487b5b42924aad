// The one draft of the policy: it stays in this browser until it is in force, discarded, or its operator signs out.

const NAME = 'weir.draft';

/** The draft: its `text`, the revision `base` from which it began, and `compared`, the text that was compared last. */
export function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) || null;
  } catch {
    return null; // a browser without storage, or with something else at this name
  }
}

/** Keeps a draft; null ends it. */
export function keep(draft) {
  try {
    if (draft) {
      localStorage.setItem(NAME, JSON.stringify(draft));
    } else {
      localStorage.removeItem(NAME);
    }
  } catch {
    // Without storage a draft lasts as long as the page.
  }
}
