// The records of keys.

import { ask, withQuery } from './api.js';
import { html, keyLink, nothing, panel, table, time } from './parts.js';

const shown = { tenant: '', plan: '', state: '', keys: [], cursor: '' };

async function find(cursor) {
  const { tenant, plan, state } = shown;
  const page = await ask(withQuery('/v1/keys', { tenant, plan, state, limit: 100, cursor }));
  const isStill = tenant === shown.tenant && plan === shown.plan && state === shown.state && cursor === shown.cursor;
  if (!isStill) {
    return; // asked for something else meanwhile, or for this already
  }
  shown.keys = cursor ? [...shown.keys, ...page.keys] : page.keys;
  shown.cursor = page.cursor || '';
}

function form(app) {
  const submit = event => {
    event.preventDefault();
    const { tenant, plan, state } = event.target.elements;
    app.go(withQuery('#/keys', { tenant: tenant.value.trim(), plan: plan.value.trim(), state: state.value }));
  };
  return html`<form class="line" role="search" @submit=${submit}>
    <label>tenant<input name="tenant" .value=${shown.tenant} maxlength="128" spellcheck="false" autocomplete="off"></label>
    <label>plan<input name="plan" .value=${shown.plan} maxlength="128" spellcheck="false" autocomplete="off"></label>
    <label>state<select name="state">${['', 'active', 'frozen', 'disabled'].map(
      name => html`<option value=${name} ?selected=${name === shown.state}>${name || 'any'}</option>`
    )}</select></label>
    <button class="primary">List</button>
  </form>`;
}

export default {
  title: 'Keys',
  isOfTenant: true,

  async load(app) {
    const { tenant = '', plan = '', state = '' } = app.parameters;
    Object.assign(shown, { tenant: tenant || app.session.tenant || '', plan, state, keys: [], cursor: '' });
    await find('');
  },

  draw(app) {
    const more = async () => {
      try {
        await find(shown.cursor);
      } catch (error) {
        app.failure = error;
      }
      app.draw();
    };
    const columns = [
      ['key', key => keyLink(key.id, key.tenant)],
      ['plan', key => key.plan || html`<span class="quiet">of the tenant</span>`],
      ['state', key => html`<span class=${key.state === 'active' ? '' : 'tag warn'}>${key.state}</span>`],
      ['overrides', key => (key.overrides || []).length || nothing, 'number'],
      ['expires', key => time(key.expires)],
      ['changed', key => html`${time(key.changed.at)} <small>by ${key.changed.by}</small>`],
      ['note', key => key.note || nothing]
    ];
    return html`${panel('Find', form(app))}
      ${panel('Keys', html`${table(columns, shown.keys, 'No such key has a record.', 'keys')}
        ${shown.cursor ? html`<button type="button" @click=${more}>More</button>` : nothing}`)}`;
  }
};
