// Who changed what.

import { ask } from './api.js';
import { html, nothing, panel, table, time } from './parts.js';

const shown = { lines: [] };

function value(json) {
  return json ? html`<code>${JSON.stringify(json)}</code>` : nothing;
}

export default {
  title: 'Changes',

  async load() {
    shown.lines = (await ask('/v1/audit?limit=100')).lines;
  },

  draw(app) {
    const columns = [
      ['when', line => time(line.at)],
      ['who', line => line.who],
      ['what', line => html`<b>${line.what}</b>`],
      ['of', line => html`<code>${line.record}</code>`],
      ['before', line => value(line.before), 'long'],
      ['after', line => value(line.after), 'long']
    ];
    return panel('Changes', table(columns, shown.lines, app.failure ? '' : 'Nothing was changed.', 'changes'));
  }
};
