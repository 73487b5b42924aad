// The last denials that the nodes remember.

import { ask, withQuery } from './api.js';
import { html, keyLink, nothing, panel, table, time, wait } from './parts.js';

const shown = { id: '', tenant: '', key: '', denials: [], asked: 0, answered: 0 };

/** Denials, the newest first. */
export function denialTable(denials, withKey = true) {
  const columns = [
    ['when', one => time(one.at)],
    ...(withKey ? [['key', one => keyLink(one.key, one.tenant)]] : []),
    ['operation', one => html`${one.operation}${one.cost === 1 ? nothing : html` <small>× ${one.cost}</small>`}`],
    ['no room in', one => (one.full.length
      ? one.full.map(full => html`<span class="tag">${full.limit}</span> <small>${[full.kind, full.scope && `of the ${full.scope}`].filter(Boolean).join(' ')}</small> `)
      : html`<span class="tag">${one.reason}</span>`)],
    ['wait told', one => (one.retryAfterMs === undefined ? one.outcome.replace('_', ' ') : html`${one.estimate ? 'about ' : ''}${wait(one.retryAfterMs)}`), 'number'],
    ['', one => (one.degraded ? html`<span class="tag warn">degraded</span>` : nothing)],
    ['id', one => html`<code>${one.id}</code>`]
  ];
  return table(columns, denials, 'No node remembers a denial.', 'denials');
}

async function find() {
  if (shown.id) {
    shown.denials = [await ask(`/v1/denials/${encodeURIComponent(shown.id)}`)];
    return;
  }
  const { tenant, key } = shown;
  const found = await ask(withQuery('/v1/denials', { tenant, key, limit: 100 }));
  Object.assign(shown, { denials: found.denials, asked: found.nodesAsked, answered: found.nodesAnswered });
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

  async load(app) {
    const { id = '', tenant = '', key = '' } = app.parameters;
    Object.assign(shown, { id, tenant, key, denials: [], asked: 0 });
    await find();
  },

  heard(app) {
    if (!shown.id) {
      app.refresh(find);
    }
  },

  draw(app) {
    const silent = shown.asked - shown.answered;
    return html`${panel('Find', form(app))}
      ${panel(
        'Denials',
        denialTable(shown.denials),
        silent > 0 ? html`<b class="bad">${silent} of ${shown.asked} nodes were silent</b>` : nothing
      )}`;
  }
};
