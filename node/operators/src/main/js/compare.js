// What a policy would do to live traffic (a candidate, or limits in audit mode), and to a log of the past. A log is replayed
// under the policy in force, and under the draft.

import { ask } from './api.js';
import { UNMATCHED } from './denials.js';
import { bar, choice, clock, confirmed, count, html, keyLink, nothing, number, panel, silent, table, wait } from './parts.js';

const LASTS = [['60', 'a minute'], ['600', '10 minutes'], ['3600', 'an hour'], ['86400', 'a day']];

const shown = { told: null };

/** Asks how it stands. */
export async function findComparison() {
  shown.told = await ask('/v1/rehearsal');
}

/** Compares a text with the policy in force for some time; resolves to whether it began. */
export async function compare(app, text) {
  let seconds = '600';
  const isSure = await confirmed({
    title: 'Compare on live traffic?',
    content: html`<p>All requests are decided by the draft, too, and nothing is enforced by it. It begins with empty buckets.</p>
      ${choice('for', LASTS, seconds, event => { seconds = event.target.value; })}`,
    action: 'Compare'
  });
  if (isSure) {
    await ask(`/v1/rehearsal?seconds=${seconds}`, { method: 'PUT', text });
    app.say('The comparison begins within two seconds.');
    await findComparison();
  }
  return isSure;
}

async function endComparison(app) {
  await ask('/v1/rehearsal', { method: 'DELETE' });
  app.say('The comparison ends within two seconds.');
}

const named = row => (row.operation === UNMATCHED ? 'others' : row.operation);

function account(of, empty, isAudit) {
  const share = row => {
    const passing = row.pass + row.wouldDeny;
    return passing ? (100 * row.wouldDeny) / passing : 0;
  };
  const columns = [
    ['plan', row => row.plan, 'long'],
    ['operation', row => html`<b>${named(row)}</b>`, 'long'],
    ['passed', row => number(row.pass + row.wouldDeny), 'number hour'],
    ['of those would be denied', row => html`${bar(share(row), `${number(share(row))} % would be denied`)}<small>${number(row.wouldDeny)}, ${number(share(row))} %</small>`, 'wide'],
    ...(isAudit ? [] : [['denied', row => number(row.deny + row.wouldPass), 'number hour'], ['of those would pass', row => number(row.wouldPass), 'number']]),
    ['not compared', row => number(row.unknown), 'number hour']
  ];
  const denied = of.wouldDeny;
  return html`${table(columns, of.outcomes, empty, 'outcomes')}
    ${denied.total
      ? html`<div class="two">
          ${table([['would be denied', row => keyLink(row.key, row.tenant), 'long'], ['times', count, 'number']], denied.keys, '', 'keys')}
          ${table([['by the limit', row => html`${row.limit} <small>${named(row)}, ${row.plan}</small>`], ['times', count, 'number']], denied.limits, '', 'limits')}
        </div>`
      : nothing}`;
}

function candidate(app, of) {
  const passed = Date.now() - Date.parse(of.since);
  const lasts = Date.parse(of.until) - Date.parse(of.since);
  const left = Math.max(0, lasts - passed);
  return panel(
    'The comparison',
    html`<p>by ${of.by}, until ${clock(of.until)} ${bar((100 * passed) / lasts, `${wait(left)} left`)} <small>${wait(left)} left</small></p>
      <p class="quiet">It began with empty buckets and quotas, so that it passes more at first.</p>
      ${account(of, 'No request has come yet.', false)}
      <p><a href="#/now?list=wouldbe">Who would be limited, since when</a></p>
      <div class="buttons"><button type="button" ?disabled=${!app.may('all')} @click=${app.doing(endComparison)}>End</button></div>`
  );
}

/** How the candidate and the limits in audit mode stand; nothing if there are none. */
export function comparison(app) {
  const { told } = shown;
  return html`${told?.candidate ? candidate(app, told.candidate) : nothing}
    ${told?.audit.outcomes.length ? panel('Limits in audit mode', account(told.audit, '', true), html`<span class="quiet">since the nodes started</span> ${silent(told)}`) : nothing}`;
}

const replayed = { name: '', told: null };

async function text(file) {
  const stream = file.name.endsWith('.gz') ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}

/** Puts a log through the policy in force, and the draft if there is one. */
async function replay(app, file, draft) {
  Object.assign(replayed, { name: file.name, told: null });
  app.say(`${file.name} is replayed…`);
  const log = await text(file);
  const format = /^\s*[[{]/.test(log) ? 'json' : 'common';
  replayed.told = await ask('/v1/replay', { method: 'POST', json: { log, format, ...(draft ? { policy: draft } : {}) } });
  app.say('');
}

function only(of, title) {
  return of?.total
    ? html`<h3>${title}: ${number(of.total)}</h3><div class="two">
        ${table([['limit', row => html`${row.limit} <small>${named(row)}, ${row.plan}</small>`], ['times', count, 'number']], of.limits, '', title)}
        ${table([['caller', row => row.caller], ['times', count, 'number']], of.callers, '', title)}</div>`
    : nothing;
}

function result(told) {
  const share = one => (100 * (one.denied + one.neverAllowed)) / Math.max(1, one.admitted + one.denied + one.neverAllowed);
  const [inForce, draft] = told.policies;
  const columns = [
    ['policy', one => html`<b>${one.policy}</b>`, 'long'],
    ['admitted', one => number(one.admitted), 'number'],
    ['denied', one => html`${bar(share(one), `${number(share(one))} % denied`)}<small>${number(one.denied)}, ${number(share(one))} %</small>`, 'wide'],
    ['blocked', one => number(one.neverAllowed), 'number hour'],
    ['unknown caller', one => number(one.unknown), 'number hour']
  ];
  return html`<p>${replayed.name}: ${number(told.lines)} lines${told.unread ? html`, <b>${number(told.unread)} of another form</b> (${told.unreadReasons.map(one => one.reason).join(', ')})` : nothing}</p>
    ${table(columns, told.policies, '', 'replay')}
    ${draft ? only(draft.onlyHere, 'Only the draft denies') : nothing}${draft ? only(inForce.onlyHere, 'Only the policy in force denies') : only(inForce.refused, 'Denied')}`;
}

/**
 * The form, and the result of the last replay.
 *
 * @param draft tells the text of the draft, if there is one
 */
export function drawReplay(app, draft) {
  const chosen = event => {
    const [file] = event.target.files;
    event.target.value = '';
    if (file) {
      app.doing(() => replay(app, file, draft()))();
    }
  };
  return panel(
    'Replay of a log',
    html`<label class="file">an access log (common, combined or JSON lines; .gz, too; 16 MB at most)
        <input type="file" ?disabled=${!app.may('all')} @change=${chosen}></label>
      ${replayed.told ? result(replayed.told) : nothing}`
  );
}
