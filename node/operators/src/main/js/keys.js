// The records of keys and tenants, and the tokens of operators.

import { ask, withQuery } from './api.js';
import { edit, forRecord, remove, removeRecord } from './actions.js';
import { fill } from './fill.js';
import { draw as drawKey, refresh as refreshKey, show as showKey } from './key.js';
import { age, choice, clock, confirmed, html, nothing, planOf, tabbed, table, time } from './parts.js';

const MOST = 500;
// The record of a subject with another name has no secret.
const ID = /^[\w-]{1,64}$/;
const STATES = [['', 'any'], ['active'], ['frozen'], ['disabled']];

const shown = { list: 'keys', find: '', tenant: '', plan: '', state: '', rows: null, cursor: '' };

const query = () => {
  const { list, find, tenant, plan, state } = shown;
  return { list: list === 'keys' ? '' : list, find, tenant, plan, state };
};

const LISTS = {
  keys: cursor => ask(withQuery('/v1/keys', { find: shown.find, tenant: shown.tenant, plan: shown.plan, state: shown.state, limit: MOST, cursor })),
  tenants: cursor => ask(withQuery('/v1/tenants', { find: shown.find, limit: MOST, cursor })),
  tokens: () => ask('/v1/tokens')
};

const nameOf = row => `${row.tenant || ''}/${row.id || row.name}`;

async function find(cursor = '') {
  const asked = JSON.stringify(query());
  const page = await LISTS[shown.list](cursor);
  if (asked !== JSON.stringify(query()) || (cursor && cursor !== shown.cursor)) {
    return; // asked for something else meanwhile, or for this already
  }
  const rows = [...(cursor ? shown.rows : []), ...page[shown.list]];
  shown.rows = rows.sort((one, other) => nameOf(one).localeCompare(nameOf(other), 'en', { numeric: true }));
  shown.cursor = page.cursor || '';
}

/** Shows a secret, this once. */
async function showOnce(title, secret) {
  await confirmed({
    title,
    content: html`<p>It is shown this once. Weir keeps a hash of it.</p><p><code class="secret">${secret}</code></p>
      <p class="buttons"><button type="button" ?hidden=${!navigator.clipboard} @click=${() => navigator.clipboard.writeText(secret)}>Copy</button></p>`,
    action: 'I have it'
  });
}

async function createKey(app) {
  const made = await fill('Create a key', 'Create', [
    { name: 'tenant', required: true, value: shown.tenant || app.session.tenant || '' },
    ...(app.session.tenant ? [] : [{ name: 'id', hint: 'made if it is empty' }, { name: 'plan', hint: 'that of the tenant if it is empty' }]),
    { name: 'expires', hint: '+30d, or never if it is empty' },
    { name: 'note' }
  ], json => ask('/v1/keys', { method: 'POST', json }));
  if (made) {
    await showOnce(`The key ${made.id}`, made.key);
    await find();
    app.go(withQuery('#/keys', { ...query(), key: made.id }));
  }
}

async function createTenant(app) {
  const made = await fill('Create a tenant', 'Create', [{ name: 'id', required: true }, { name: 'plan', hint: 'the default if it is empty' }, { name: 'note' }],
    json => ask('/v1/tenants', { method: 'POST', json }));
  if (made) {
    app.say(`Tenant ${made.id} was made.`);
    await find();
  }
}

async function createToken(app) {
  const made = await fill('Create a token', 'Create', [
    { name: 'name', required: true, hint: 'for the timeline of changes' },
    { name: 'scope', values: [['read'], ['keys'], ['all']] },
    { name: 'tenant', hint: 'of all tenants if it is empty' },
    { name: 'expires', hint: '+30d, or never if it is empty' }
  ], json => ask('/v1/tokens', { method: 'POST', json }));
  if (made) {
    await showOnce(`The token ${made.name}`, made.token);
    await find();
  }
}

// A shorter time than that of an earlier rotation ends the secrets before it, too.
function secretsNow(all) {
  const ends = all.filter(one => !one.until || Date.parse(one.until) > Date.now()).map(one => (one.until ? `until ${clock(one.until)}` : 'without an end'));
  return html`<p>${ends.length === 1 ? `Its secret counts ${ends[0]}` : `Of its ${ends.length} secrets one counts ${ends.join(', one ')}`}. None counts longer than is chosen here.</p>`;
}

/** Makes another secret; resolves to it. */
async function rotate(app, of) {
  const made = await fill(`Rotate ${of.key}`, 'Rotate', [
    { name: 'overlapSeconds', label: 'the secrets before count for', values: [['86400', 'a day'], ['3600', 'an hour'], ['0', 'no longer'], ['604800', 'a week']] }
  ], forRecord(of, (now, wish) => ask(`/v1/keys/${encodeURIComponent(of.key)}/rotate`, {
    method: 'POST', json: { overlapSeconds: Number(wish.overlapSeconds) }, headers: { 'If-Match': now.tag }
  })), secretsNow(of.record.secrets));
  return made?.key;
}

function change(app, of) {
  return edit(app, of, [
    ...(app.session.tenant ? [] : [{ name: 'plan', hint: 'that of the tenant if it is empty' }]),
    { name: 'expires', hint: '+30d, an instant, or never if it is empty' },
    { name: 'note' }
  ]);
}

/** The actions on the record of the shown key, beyond its limits. */
function manage(app, of, refresh) {
  if (!of.record || !app.may('keys')) {
    return nothing;
  }
  const then = action => app.doing(async () => {
    const secret = await action(app, of);
    await refresh();
    await find();
    if (secret) {
      await showOnce(`The key ${of.key}`, secret);
    }
  });
  const end = app.doing(async () => {
    if (await removeRecord(app, of)) {
      await find();
      app.go(withQuery('#/keys', query()));
    }
  });
  return html`<div class="buttons">
    ${ID.test(of.key) ? html`<button type="button" @click=${then(rotate)}>Rotate…</button>` : nothing}
    <button type="button" @click=${then(change)}>Change…</button>
    <button type="button" class="danger" @click=${end}>Delete…</button></div>`;
}

function form(app) {
  const submit = event => {
    event.preventDefault();
    const values = [...new FormData(event.target)].map(([name, value]) => [name, value.trim()]);
    app.go(withQuery('#/keys', { list: query().list, ...Object.fromEntries(values) }));
  };
  const field = (name, hint) => html`<label>${name}<input name=${name} .value=${shown[name]} maxlength="128" placeholder=${hint} spellcheck="false" autocomplete="off"></label>`;
  return html`<form class="line tools" role="search" @submit=${submit}>
    ${field('find', 'id, tenant, plan, label, note')}
    ${shown.list === 'keys' ? html`${field('tenant', '')} ${field('plan', '')}
      ${choice('state', STATES, shown.state, event => event.target.form.requestSubmit(), 'state')}` : nothing}
    <button class="primary">Find</button></form>`;
}

const state = row => html`<span class=${row.state === 'active' ? '' : 'tag warn'}>${row.state}</span>`;
const changed = row => html`${age(row.changed.at)} <small>by ${row.changed.by}</small>`;

const COLUMNS = {
  keys: () => [
    ['key', row => html`<a data-row href=${withQuery('#/keys', { ...query(), key: row.id })}>${row.tenant}/${row.id}</a>`],
    ['plan', planOf, 'long'],
    ['state', state],
    ['overrides', row => (row.overrides || []).length || nothing, 'number hour'],
    ['expires', row => time(row.expires), 'hour'],
    ['changed', changed, 'hour'],
    ['note', row => row.note || nothing, 'note']
  ],
  tenants: () => [
    ['tenant', row => html`<a data-row href=${withQuery('#/now', { tenant: row.id })}>${row.id}</a>`],
    ['plan', row => row.plan || html`<span class="quiet">the default</span>`, 'long'],
    ['state', state],
    ['keys at most', row => row.maxKeys ?? nothing, 'number hour'],
    ['keys', row => html`<a href=${withQuery('#/keys', { tenant: row.id })}>its keys</a>`, 'hour'],
    ['changed', changed, 'hour'],
    ['note', row => row.note || nothing, 'note']
  ],
  tokens: app => [
    ['token', row => html`<b>${row.name}</b>`, 'long'],
    ['scope', row => row.scope],
    ['tenant', row => row.tenant || html`<span class="quiet">all</span>`, 'long'],
    ['expires', row => time(row.expires), 'hour'],
    ['', row => html`<button type="button" class="plain" @click=${app.doing(async () => await remove(app, `the token ${row.name}`, `/v1/tokens/${encodeURIComponent(row.name)}`) && find())}>Delete…</button>`]
  ]
};

const EMPTY = { keys: 'No such key has a record.', tenants: 'No such tenant has a record.', tokens: 'There is only the token of the node.' };
const CREATE = { keys: ['Create a key…', createKey, 'keys'], tenants: ['Create a tenant…', createTenant, 'keys'], tokens: ['Create a token…', createToken, 'all'] };

function lists(app) {
  return ['keys', ...(app.session.tenant ? [] : ['tenants', ...(app.may('all') ? ['tokens'] : [])])];
}

function list(app) {
  const [title, create, scope] = CREATE[shown.list];
  const parts = lists(app).map(name => [name, withQuery('#/keys', { list: name === 'keys' ? '' : name }), name[0].toUpperCase() + name.slice(1)]);
  const { key } = app.parameters;
  return tabbed(
    'lists',
    parts,
    shown.list,
    html`${shown.list === 'tokens' ? nothing : form(app)}
      ${table(COLUMNS[shown.list](app), shown.rows, EMPTY[shown.list], shown.list, row => row.id === key)}
      ${shown.cursor ? html`<button type="button" @click=${app.doing(() => find(shown.cursor))}>More</button>` : nothing}`,
    app.may(scope) ? html`<button type="button" @click=${app.doing(() => create(app))}>${title}</button>` : nothing
  );
}

export default {
  title: 'Keys',
  isOfTenant: true,

  async load(app) {
    const { list: asked = 'keys', find: text = '', tenant = '', plan = '', state: of = '', key } = app.parameters;
    const before = JSON.stringify(query());
    Object.assign(shown, { list: lists(app).includes(asked) ? asked : 'keys', find: text, tenant: tenant || app.session.tenant || '', plan, state: of });
    const isOther = before !== JSON.stringify(query());
    if (isOther) {
      Object.assign(shown, { rows: null, cursor: '' });
    }
    if (key) {
      showKey({ key });
    }
    app.draw();
    if (isOther || !key || !shown.rows) {
      await find();
    }
    if (key) {
      await refreshKey();
    }
  },

  heard(app) {
    if (app.parameters.key) {
      app.refresh(refreshKey);
    }
  },

  draw(app) {
    const { key } = app.parameters;
    return html`<div class=${key ? 'split' : ''}>${list(app)}${key ? drawKey(app, withQuery('#/keys', query()), manage) : nothing}</div>`;
  }
};
