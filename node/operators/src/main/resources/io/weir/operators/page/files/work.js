// Jobs, upstreams and windows as they stand.

import { ask } from './api.js';
import { html, panel, table } from './parts.js';

const TITLES = {
  jobs: ['Jobs', 'The policy has no operation with jobs.'],
  upstream: ['Upstreams', 'The policy has no upstream of providers.'],
  window: ['Windows', 'The policy has no windows.']
};

const shown = { states: null };

async function find() {
  shown.states = await ask('/v1/states');
}

function facts(state) {
  const fields = Object.entries(state);
  return fields.length
    ? html`<dl class="fields">${fields.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
    : html`<span class="quiet">nothing under way</span>`;
}

export default {
  title: 'Work',
  load: find,

  heard(app) {
    app.refresh(find);
  },

  draw(app) {
    return Object.entries(TITLES).map(([kind, [title, empty]]) =>
      panel(title, table([['name', one => html`<b>${one.name}</b>`], ['state', one => facts(one.state)]], shown.states?.[kind] || [], app.failure || !shown.states ? '' : empty, title))
    );
  }
};
