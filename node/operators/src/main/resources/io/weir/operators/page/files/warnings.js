// The receivers of warnings, and the rules that name them.

import { ask } from './api.js';
import { age, html, number, table } from './parts.js';

const shown = { rules: null, receivers: null };

/** Asks what became of the messages of this node. */
export async function findWarnings() {
  Object.assign(shown, await ask('/v1/warnings'));
}

async function test(app, to) {
  const done = await ask('/v1/warnings/test', { method: 'POST', json: { to } });
  await findWarnings();
  app.say(done.delivered ? `${to} has taken it: status ${done.status}.` : `${to} has not taken it: ${done.why}.`);
}

function standing(one) {
  if (one.failingSince) {
    return html`<span class="state bad">fails for ${age(one.failingSince)}: ${one.why}</span>`;
  }
  return one.lastDelivered ? html`<span class="state">takes them, the last ${age(one.lastDelivered)} ago</span>` : html`<span class="quiet">nothing was sent yet</span>`;
}

const namedBy = name => shown.rules.filter(rule => rule.to === name).map(rule => `${rule.name} at ${rule.at.join(', ')} %`);

/** The receivers of the node that serves this page; a rule may name one that it does not have. */
export function drawWarnings(app) {
  const missing = shown.rules?.filter(rule => !shown.receivers.some(one => one.name === rule.to)) || [];
  const columns = [
    ['receiver', one => html`<b>${one.name}</b>`],
    ['state', standing],
    ['rules', one => namedBy(one.name).join('; ') || html`<span class="quiet">none</span>`],
    ['taken', one => number(one.delivered), 'number'],
    ['failed', one => number(one.failed), 'number'],
    ['', one => html`<button type="button" ?disabled=${!app.may('all')} @click=${app.doing(() => test(app, one.name))}>Test</button>`]
  ];
  return html`${table(columns, shown.receivers, 'This node has no receivers of webhooks.', 'receivers')}
    ${missing.map(rule => html`<p class="bad">Rule ${rule.name} names ${rule.to}, which this node does not have.</p>`)}`;
}
