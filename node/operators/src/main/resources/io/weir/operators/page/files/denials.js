// The last denials that the nodes remember.

import { ask, withQuery } from './api.js';
import { html, keyLink, nothing, panel, table, time, wait } from './parts.js';

const NONE = { denials: [], nodesAsked: 0, nodesAnswered: 0 };

const shown = { id: '', tenant: '', key: '', found: NONE };

/** Which nodes were not heard, if any. */
export function silent(found) {
  const missing = found.nodesAsked - found.nodesAnswered;
  const words = found.redis === 'away' ? 'Redis is away: only this node was asked' : missing > 0 ? `${missing} of ${found.nodesAsked} nodes were silent` : '';
  return words ? html`<b class="bad">${words}</b>` : nothing;
}

/** Denials, the newest first. */
export function denialTable(denials, withKey = true) {
  const columns = [
    ['when', one => time(one.at)],
    ...(withKey ? [['key', one => keyLink(one.key, one.tenant)]] : []),
    ['operation', one => html`${one.operation}${one.cost === 1 ? nothing : html` <small>× ${one.cost}</small>`}`],
    ['no room in', one => (one.full.length
      ? one.full.map(full => html`<span class="tag">${full.limit}</span> <small>${[full.kind, full.scope && `of the ${full.scope}`].filter(Boolean).join(' ')}</small> `)
      : html`<span class="tag">${one.reason}</span>`)],
    ['wait told', one => (one.retryAfterMs === undefined || one.outcome === 'would_deny' ? one.outcome.replace('_', ' ') : html`${one.estimate ? 'about ' : ''}${wait(one.retryAfterMs)}`), 'number'],
    ['', one => (one.degraded ? html`<span class="tag warn">degraded</span>` : nothing)],
    ['id', one => html`<code>${one.id}</code>`]
  ];
  return table(columns, denials, 'No node remembers a denial.', 'denials');
}

async function find() {
  const { id, tenant, key } = shown;
  const found = id
    ? { ...NONE, denials: [await ask(`/v1/denials/${encodeURIComponent(id)}`)] }
    : await ask(withQuery('/v1/denials', { tenant, key, limit: 100 }));
  if (id === shown.id && tenant === shown.tenant && key === shown.key) {
    shown.found = found;
  }
}

function form(app) {
  const submit = event => {
    event.preventDefault();
    const { id, tenant, key } = event.target.elements;
    app.go(withQuery('#/denials', { id: id.value.trim(), tenant: tenant.value.trim(), key: key.value.trim() }));
  };
  return html`<form class="line" role="search" @submit=${submit}>
    <label>id (header <code>Weir-Decision</code>)<input name="id" .value=${shown.id} maxlength="64" spellcheck="false" autocomplete="off"></label>
    <label>tenant<input name="tenant" .value=${shown.tenant} maxlength="128" spellcheck="false" autocomplete="off"></label>
    <label>key<input name="key" .value=${shown.key} maxlength="128" spellcheck="false" autocomplete="off"></label>
    <button class="primary">Find</button>
  </form>`;
}

export default {
  title: 'Denials',
  isOfTenant: true,

  async load(app) {
    const { id = '', tenant = '', key = '' } = app.parameters;
    Object.assign(shown, { id, tenant: tenant || app.session.tenant || '', key, found: NONE });
    await find();
  },

  heard(app) {
    if (!shown.id) {
      app.refresh(find);
    }
  },

  draw(app) {
    return html`${panel('Find', form(app))}
      ${panel(
        'Denials',
        denialTable(shown.found.denials),
        silent(shown.found)
      )}`;
  }
};
