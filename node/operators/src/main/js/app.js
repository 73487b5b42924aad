// The page of operators: it shows what the admin API of this node answers, and asks it for what is done.

import { session, signOut, withQuery } from './api.js';
import { keep } from './draft.js';
import { openFind, pressed } from './find.js';
import { clock, html, nothing, problem, render, wait, zone } from './parts.js';
import { listen, live, rest, stop } from './live.js';
import now from './now.js';
import limits from './limits.js';
import keys from './keys.js';
import { signInPage } from './sign-in.js';
import work from './work.js';

const VIEWS = { now, limits, keys, work };
const STALE_MILLIS = 10_000;
const FIRST_MILLIS = 800;
const SCOPES = ['read', 'keys', 'all'];
const root = document.getElementById('app');

const app = {
  session: null,
  view: now,
  parameters: {},
  failure: null,
  notice: '',
  may: scope => SCOPES.indexOf(app.session?.scope) >= SCOPES.indexOf(scope),
  say: text => {
    app.notice = text;
    draw();
  },
  draw,
  views,
  // Changes parameters of the address, and asks for nothing.
  amend: parameters => {
    Object.assign(app.parameters, parameters);
    history.replaceState(null, '', withQuery(location.hash.split('?')[0] || '#/now', app.parameters));
    draw();
  },
  go: hash => (hash === location.hash ? route() : location.assign(hash)),
  doing,
  refresh
};

let isDrawing = false;

/** Draws the page soon, once for all changes until then. */
function draw() {
  if (!isDrawing) {
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      render(app.session ? page() : signInPage(app, icon(), begin), root);
    });
  }
}

/** A listener that does something and shows its failure. */
function doing(action) {
  return async () => {
    const { view } = app;
    app.failure = null;
    try {
      await action(app);
    } catch (error) {
      failed(view, error);
    }
    draw();
  };
}

let isRefreshing = false;

/** Asks again for what a view shows, one question at a time, and not while somebody decides in a dialog. */
function refresh(find) {
  if (isRefreshing || document.hidden || document.querySelector('dialog[open]')) {
    return;
  }
  isRefreshing = true;
  const { view } = app;
  const address = location.hash;
  find()
    .then(() => {
      if (app.failure?.isLoad) {
        app.failure = null;
      }
    })
    .catch(error => failed(view, error, address, true))
    .finally(() => {
      isRefreshing = false;
      draw();
    });
}

// Shows the failure of a view, or to load it at an address, unless that has changed since. A session that is over ends the
// page. The verdict of Now has that Redis is away.
function failed(view, error, address, isAgain) {
  const isLoad = address != null;
  const isOfVerdict = isLoad && view === now && live.status && live.status.redis.state !== 'answers';
  if (error.status === 401) {
    left();
  } else if (app.view === view && !isOfVerdict && (!isLoad || address === location.hash)) {
    app.failure = Object.assign(error, { isLoad, isAgain });
  }
}

// A node that does not answer is dead; what is shown of it is of a while ago. The stream of one that hangs stays open.
function isDead() {
  return !app.session.tenant && !live.rests && live.heardAt > 0 && (!live.isHeard || Date.now() - Math.max(live.heardAt, live.askedAt) > STALE_MILLIS);
}

function silence() {
  const millis = Date.now() - live.heardAt;
  return html`<div class="problem" role="alert"><strong>This node has not answered for ${wait(Math.floor(millis / 1000) * 1000)}.</strong>
    The figures are from ${clock(live.heardAt)}. Updates continue when the node is back; the page of another node shows the same.</div>`;
}

// A message that comes while somebody reads lies over the page, which keeps its place.
const isOver = () => isDead() || app.failure?.isAgain;

function page() {
  return html`
    <a class="skip" href="#main" @click=${event => {
      event.preventDefault();
      document.getElementById('main').focus();
    }}>Skip to the content</a>
    <header class="top">
      <a class="name" href="#/now"><img src=${icon()} alt="" width="26" height="26">Weir</a>
      <nav class="views" aria-label="views">${views().map(
        ([name, view]) => html`<a href=${`#/${name}`} aria-current=${app.view === view ? 'page' : nothing}>${view.title}</a>`
      )}</nav>
      <button type="button" class="search" data-key="/" @click=${doing(openFind)}><span>Find<span> anything</span></span> <kbd>/</kbd></button>
      <div class="who">
        <a class=${`state ${standing().kind}`} href="#/now">${standing().text}</a>
        <span title=${`scope ${app.session.scope}`}>${app.session.operator}</span>
        <button type="button" class="plain" @click=${doing(leave)}>Sign out</button>
      </div>
    </header>
    <main id="main" tabindex="-1" class=${isDead() ? 'stale' : ''}>
      <h1 class="hidden">${app.view.title}</h1>
      ${isOver() ? nothing : problem(app.failure)}
      ${app.view.draw(app)}
      <footer class="quiet">Times are of ${zone}. Shortcuts: <kbd>?</kbd></footer>
    </main>
    ${isOver() ? html`<div class="over">${isDead() ? silence() : problem(app.failure)}</div>` : nothing}
    <div class="notice" role="status">${app.notice}</div>`;
}

const icon = () => document.querySelector('link[rel=icon]').href;

// An operator of one tenant sees no more than its cases, its keys and their denials.
function views() {
  return Object.entries(VIEWS).filter(([, view]) => !app.session?.tenant || view.isOfTenant);
}

function standing() {
  if (app.session.tenant) {
    return { kind: '', text: `tenant ${app.session.tenant}` };
  }
  if (!live.isHeard || isDead()) {
    return { kind: 'bad', text: 'node not heard' };
  }
  const count = live.status.findings.length;
  return count ? { kind: 'bad', text: count === 1 ? '1 needs you' : `${count} need you` } : { kind: '', text: 'live' };
}

async function leave() {
  await signOut();
  keep(null);
  left();
}

// A new page has an empty state of its views; drafts are kept.
function left() {
  stop();
  if (app.session) {
    location.reload();
  }
  app.session = null;
}

/** Shows the view of the address. */
function route() {
  const [, name = '', query = ''] = location.hash.match(/^#\/(\w*)\??(.*)$/) || [];
  const before = app.view;
  document.querySelector('#dialogs dialog[open]')?.close();
  app.view = (views().find(([known]) => known === name) || views()[0])[1];
  app.parameters = Object.fromEntries(new URLSearchParams(query));
  app.failure = null;
  app.notice = '';
  document.title = `${app.view.title} · Weir`;
  load();
  if (before !== app.view) {
    document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}

/** Asks for what the view shows; a failure is shown above it. */
async function load() {
  if (!app.session) {
    return;
  }
  const { view } = app;
  const address = location.hash;
  draw();
  try {
    await view.load?.(app);
  } catch (error) {
    failed(view, error, address);
  }
  draw();
}

const TENANT_EVERY_MILLIS = 5000;

function heard() {
  if (!isDead()) {
    app.view.heard?.(app);
  }
  draw();
}

// Whether the session goes on; if the node does not say, it does.
function goesOn() {
  return session().then(found => Boolean(found || left()), () => true);
}

// A stream that has gone silent may never end by itself, so another one is opened.
function lookForSilence() {
  if (isDead()) {
    if (live.isHeard) {
      listen(heard, goesOn);
    }
    draw();
  }
}

const HIDDEN_MILLIS = 3000;
let hiding = 0;

// A tab that nobody looks at leaves its connection to the others.
function lookForTab() {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(rest, HIDDEN_MILLIS);
  } else if (live.rests) {
    listen(heard, goesOn);
  }
}

// The first paint waits for its figures, but not for long: a Redis that hangs makes them late.
async function begin() {
  if (app.session.tenant) {
    // The stream of a node covers all tenants, so the page of a tenant's operator asks instead.
    setInterval(() => goesOn().then(goes => goes && heard()), TENANT_EVERY_MILLIS);
  } else {
    setInterval(lookForSilence, 1000);
    document.addEventListener('visibilitychange', lookForTab);
    await new Promise(done => {
      if (document.hidden) {
        rest();
      } else {
        listen(() => done(heard()), goesOn);
      }
      setTimeout(done, FIRST_MILLIS);
    });
  }
  route();
}

window.addEventListener('hashchange', route);
window.addEventListener('keydown', pressed);
session()
  .then(found => {
    app.session = found;
    (found ? begin : draw)();
  })
  .catch(error => {
    app.failure = error;
    draw();
  });
