// What would be denied by limits in audit mode, and by a candidate for the policy.

import { ask } from './api.js';
import { denialTable, silent } from './denials.js';
import { bar, confirmed, html, keyLink, nothing, number, panel, table, time } from './parts.js';

const shown = { told: null, denials: [], draft: '' };

async function find() {
  shown.told = await ask('/v1/rehearsal');
  shown.denials = (await ask('/v1/denials?rehearsed=true&limit=20')).denials;
}

function account(of, empty, isAudit = false) {
  const columns = [
    ['plan', row => row.plan],
    ['operation', row => html`<b>${row.operation}</b>`],
    ['pass', row => number(row.pass), 'number'],
    ['would deny', row => (row.wouldDeny ? html`<b class="bad">${number(row.wouldDeny)}</b>` : '0'), 'number'],
    ['of those that pass', row => {
      const passing = row.pass + row.wouldDeny;
      const percent = passing ? (100 * row.wouldDeny) / passing : 0;
      return bar(percent, `${Math.round(percent * 10) / 10} % would be denied`);
    }, 'wide'],
    ...(isAudit ? [] : [['would pass', row => number(row.wouldPass), 'number'], ['deny', row => number(row.deny), 'number']]),
    ['unknown', row => number(row.unknown), 'number']
  ];
  const denied = of.wouldDeny;
  const count = row => (row.atLeast === row.atMost ? number(row.atLeast) : `${number(row.atLeast)} – ${number(row.atMost)}`);
  return html`${table(columns, of.outcomes, empty, 'outcomes')}
    ${denied.total
      ? html`<div class="two">
          ${table([['would be denied', row => keyLink(row.key, row.tenant)], ['times', count, 'number']], denied.keys, '', 'keys')}
          ${table([['by the limit', row => html`${row.limit} <small>${row.operation}, ${row.plan}</small>`], ['times', count, 'number']], denied.limits, '', 'limits')}
        </div>`
      : nothing}`;
}

async function begin(app) {
  const wish = { text: shown.draft || (await ask('/v1/policy')), seconds: '600' };
  const isSure = await confirmed({
    title: 'Compare a candidate',
    content: html`<p>All requests are decided by it, too, for some time. Nothing is enforced by it.</p>
      <label>policy<textarea rows="16" spellcheck="false" wrap="off" .value=${wish.text} @input=${event => { wish.text = event.target.value; }}></textarea></label>
      <label>for<select @change=${event => { wish.seconds = event.target.value; }}>${[['60', 'a minute'], ['600', '10 minutes'], ['3600', 'an hour'], ['86400', 'a day']].map(
        ([value, name]) => html`<option value=${value} ?selected=${value === wish.seconds}>${name}</option>`
      )}</select></label>`,
    action: 'Compare'
  });
  if (isSure) {
    shown.draft = wish.text; // kept until it is accepted
    await ask(`/v1/rehearsal?seconds=${wish.seconds}`, {
      method: 'PUT',
      text: wish.text,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' }
    });
    shown.draft = '';
    app.say('It begins within two seconds.');
  }
}

async function end(app) {
  await ask('/v1/rehearsal', { method: 'DELETE' });
  app.say('It ends within two seconds.');
}

export default {
  title: 'What if',
  load: find,

  heard(app) {
    app.refresh(find);
  },

  draw(app) {
    if (!shown.told) {
      return html`<p class="empty">Asking…</p>`;
    }
    const { candidate, audit } = shown.told;
    const mayChange = app.may('all') && !app.session.tenant;
    return html`${panel(
        'Candidate for the policy',
        html`${candidate
            ? html`<p class="quiet">by ${candidate.by}, since ${time(candidate.since)}, until ${time(candidate.until)}</p>
                ${account(candidate, 'No request has come yet.')}`
            : html`<p class="empty">Nothing is compared.</p>`}
          <div class="buttons">
            <button type="button" ?disabled=${!mayChange} @click=${app.doing(begin)}>Compare a candidate…</button>
            <button type="button" ?disabled=${!mayChange || !candidate} @click=${app.doing(end)}>End</button>
          </div>`
      )}
      ${panel('Limits with mode audit', account(audit, 'The policy has none, or no request has come yet.', true), html`<span class="quiet">since the nodes started</span> ${silent(shown.told)}`)}
      ${shown.denials.length ? panel('Would have been denied lately', denialTable(shown.denials)) : nothing}`;
  }
};
