// All about one key: what would be decided now and why, its limits, its denials, and what can be done.

import { ask, withQuery } from './api.js';
import { actions, copy, findRecord, inTurn } from './actions.js';
import { denialFacts, denialList } from './denials.js';
import { live } from './live.js';
import { age, ahead, bar, clock, facts, html, loading, nothing, number, period, rate, silent, table, time, wait } from './parts.js';

const denials = denialList(true);

const NOTHING = { explained: null, record: null, tag: '', isAway: false, denial: null, mostLines: 0, inUse: [] };

const shown = { key: '', id: '', limit: '', operation: '', ...NOTHING };

/** The words for what Redis alone knows. */
export const UNKNOWN = 'Not known while Redis is away.';

// A denial by its id leads to its key.
async function whose() {
  const { id, key } = shown;
  if (!id) {
    return key;
  }
  const denial = shown.denial || (await ask(`/v1/denials/${encodeURIComponent(id)}`));
  if (id === shown.id && !shown.denial) {
    Object.assign(shown, { denial, operation: denial.operation, limit: denial.full[0]?.limit || denial.reason });
  }
  return denial.key;
}

// A record that is not there is not asked for each time.
async function find(isAll) {
  const { id } = shown;
  const key = await whose();
  const explained = await ask(withQuery('/v1/explain', { key }));
  const found = isAll || !shown.explained || shown.record || shown.isAway ? await findRecord({ key }) : {};
  if (id === shown.id && (id || key === shown.key)) {
    Object.assign(shown, { key, explained, ...found });
    await denials.find({ key, tenant: explained.tenant });
  }
}

/** Shows a key, or the denial with an id; what is shown of another one is gone. */
export function show({ key = '', id = '', limit = '', operation = '' }) {
  const isOther = id ? id !== shown.id : key !== shown.key || Boolean(shown.id);
  Object.assign(shown, isOther ? { key, id, limit, operation, ...NOTHING } : id ? {} : { limit, operation });
}

/** Asks for what is shown. */
export const refresh = () => find(false);

const WORDS = { allowed: 'passes', denied: 'denied', never_allowed: 'blocked', unavailable: 'undecided: Redis is away' };

function freeAgain(one, limits) {
  const full = limits.filter(limit => one.full.includes(limit.limit) && limit.resetAt);
  const resets = full.map(limit => limit.resetAt).sort().at(-1);
  if (resets && Date.parse(resets) - Date.now() > 60_000) {
    return html` · free again at ${clock(resets)}, ${ahead(resets)}`;
  }
  return one.retryAfterMs === undefined ? nothing : html` · retry after ${one.estimate ? 'at least ' : ''}${wait(one.retryAfterMs)}`;
}

/** The refused operations in groups: what forbids one for good mostly forbids them all. */
function refusals(decisions) {
  const groups = new Map();
  decisions.forEach(one => {
    const name = one.decision === 'never_allowed' ? `${one.reason} ${one.full}` : one.operation;
    groups.set(name, [...(groups.get(name) || []), one]);
  });
  return [...groups.values()];
}

function decision(all, of) {
  const [one] = all;
  const why = one.decision === 'never_allowed' ? one.why || one.reason : one.full?.length ? `${one.full.join(', ')} full` : 'the rest is reserved for callers that were denied before';
  return html`<li class=${one.decision === 'unavailable' ? 'bad' : 'warn'}><b>${all.map(each => each.operation).join(', ')}</b> ${all.length === 1 ? 'is' : 'are'} ${WORDS[one.decision]}${
    one.decision === 'unavailable' ? nothing : html`: ${why}${freeAgain(one, of.limits)}`}</li>`;
}

/** The refused operations, each with its reason; then the admitted ones. */
function decisions(of) {
  const first = one => Number(one.operation !== shown.operation);
  const refused = of.decisions.filter(one => one.decision !== 'allowed').sort((one, other) => first(one) - first(other));
  const passing = of.decisions.filter(one => one.decision === 'allowed').map(one => one.operation);
  const groups = refusals(refused);
  const lines = groups.length + (passing.length ? 1 : 0);
  shown.mostLines = Math.max(shown.mostLines, lines); // what is below keeps its place
  return html`<ul class="decisions">
    ${groups.map(all => decision(all, of))}
    ${passing.length ? html`<li>${passing.join(', ')} ${passing.length === 1 ? 'passes' : 'pass'} now</li>` : nothing}
    ${of.degraded ? html`<li class="bad">This node decides alone: Redis is away.</li>` : nothing}
    ${Array.from({ length: shown.mostLines - lines }, () => html`<li aria-hidden="true">&nbsp;</li>`)}
  </ul>`;
}

/** Since when a limit denies the key or its tenant: the one that is looked at, else any. Without a key it is about the tenant. */
export function limitedSince(tenant, key, limit) {
  const all = (live.cases?.cases || []).filter(one => one.tenant === tenant && (!one.key || one.key === key));
  const one = all.find(each => each.limit === limit) || all[0];
  return one ? html`<p class="line"><span>Limited ${one.why ? '' : html`by <b>${one.limit}</b> `}since ${time(one.since)} (${age(one.since, live.cases.at)})${one.why ? `: ${one.why}` : ''}, denied ${age(one.last, live.cases.at)} ago</span></p>` : nothing;
}

const percent = limit => (limit.full ? 100 : limit.usedPercent);

function size(limit) {
  const burst = `burst ${number(limit.capacity)}`;
  return limit.opsPerSec ? `${rate(limit.opsPerSec)}, ${burst}` : limit.periodMs ? `${number(limit.capacity)} ${period(limit.periodMs)}` : `${number(limit.capacity)} at once`;
}

// One that was in use stays in its place when nothing of it is used any more.
function isInUse(limit) {
  const is = limit.used > 0 || limit.full || limit.from !== 'plan' || limit.limit === shown.limit || shown.inUse.includes(limit.limit);
  if (is && !shown.inUse.includes(limit.limit)) {
    shown.inUse = [...shown.inUse, limit.limit];
  }
  return is;
}

/**
 * A table of limits.
 *
 * @param denied the name of the one that has denied
 * @param until tells when an override ends, if it does
 */
export function limitTable(all, empty, caption, denied, until = () => '') {
  const usage = limit => `${number(limit.used)} of ${number(limit.capacity)}`;
  const override = limit => (limit.from === 'plan' ? nothing : limit.from === 'request' ? html` <span class="tag">carried by the last denied command</span>` : limit.audit ? html` <span class="tag">not enforced</span>` : html` <span class="tag">override${until(limit) ? html` until ${time(until(limit))}` : nothing}</span>`);
  const columns = [
    ['limit', limit => html`<b>${limit.limit}</b> ${limit.limit === denied ? html`<span class="tag warn">denied lately</span>` : nothing}
      <small class="line-of">${limit.kind} of the ${limit.scope}${limit.scope === 'cluster' ? ', changed under Limits' : ''}${limit.leased ? ', fetched ahead by the nodes' : ''}: ${limit.operations.join(', ')}</small>`],
    ['used', limit => html`${bar(percent(limit), `${usage(limit)} used, ${limit.usedPercent} %`, !limit.soft)}<small>${usage(limit)} · ${size(limit)}${limit.soft ? html` <span class="tag">only warns</span>` : nothing}${override(limit)}</small>`, 'wide'],
    ['all free', limit => (!limit.used ? 'now' : limit.kind === 'permit' ? '–' : ahead(limit.emptyAt || limit.resetAt))]
  ];
  return table(columns, all, empty, caption, limit => limit.limit === denied);
}

/** All limits of the key, the fullest first, those that deny nobody last; those that nothing uses are folded. */
function limits(of) {
  const until = limit => shown.record?.limits.find(one => one.name === limit.limit)?.until;
  const isMild = limit => (limit.soft || limit.audit ? 1 : 0);
  const all = [...of.limits].sort((one, other) => isMild(one) - isMild(other) || percent(other) - percent(one));
  const never = of.decisions.find(one => one.decision === 'never_allowed');
  const none = of.decisions.some(one => one.decision === 'unavailable') ? 'No levels are known while Redis is away.' : never ? `Its limits do not count: ${never.why || never.reason}.` : 'Nothing limits it.';
  const used = all.filter(isInUse);
  const idle = all.filter(limit => !used.includes(limit));
  const isFolded = used.length > 0 && idle.length > 1;
  return html`${limitTable(isFolded ? used : all, none, 'limits', shown.limit, until)}
    ${isFolded ? html`<details><summary>${idle.length} limits of which nothing is used</summary>${limitTable(idle, '', 'unused limits')}</details>` : nothing}`;
}

function holders(of) {
  const all = of.limits.flatMap(limit => (limit.holders || []).map(holder => ({ ...holder, limit: limit.limit })));
  return all.length
    ? html`<h3>In use</h3>${table([['permit', one => one.limit], ['by', one => html`<code>${one.id}</code>`], ['until at most', one => time(one.until)]], all, '', 'permits')}`
    : nothing;
}

function about(of) {
  const { record, isAway } = shown;
  if (isAway) {
    return html`<p class="quiet">${UNKNOWN}</p>`;
  }
  if (!record) {
    return html`<p class="quiet">No record: its tenant and plan are given by ${of.listed ? 'the policy, which lists it' : 'a rule of the policy, or by its own token or header'}.</p>`;
  }
  return html`${facts([
      ['plan', record.planInForce || record.plan || 'none'],
      ['expires', record.expires ? time(record.expires) : 'never'],
      ['labels', Object.entries(record.labels || {}).map(([name, value]) => `${name}: ${value}`).join(', ') || 'none'],
      ['note', record.note || 'none'],
      ['made', html`${age(record.created.at)} ago by ${record.created.by}`],
      ['changed', html`${age(record.changed.at)} ago by ${record.changed.by}`]
    ])}
    ${record.problems?.length ? html`<div class="problem"><ul>${record.problems.map(one => html`<li>${one.message || one}</li>`)}</ul></div>` : nothing}`;
}

function summary(of) {
  const refused = of.decisions.filter(one => one.decision !== 'allowed');
  const lines = refused.map(one => `${one.operation}: ${WORDS[one.decision]}${one.full?.length ? `, ${one.full.join(', ')} full` : one.reason ? `, ${one.why || one.reason}` : ''}`);
  return [`${of.tenant}/${of.key}, plan ${of.plan}, ${clock(of.at)}`, ...(lines.length ? lines : ['all operations pass']), location.href].join('\n');
}

// After an action, what it has changed is shown.
function acting(app, action) {
  return app.doing(() => inTurn(async () => {
    try {
      await action({ ...shown });
    } finally {
      await find(true);
    }
  }));
}

function buttons(app, of) {
  const mayKeys = app.may('keys');
  const mayReset = mayKeys && !app.session.tenant;
  const mayFreeze = mayKeys && !of.listed;
  const why = mayKeys ? (of.listed ? 'The policy lists this subject: it is changed under Limits.' : '') : 'Your token may look only.';
  // The likely next step: let a denied caller through, or a frozen one. A limit of the cluster is not reset with a key.
  const isOwn = name => of.limits.find(one => one.limit === name)?.scope !== 'cluster';
  const likely = shown.record?.state === 'frozen' ? mayFreeze && 'freeze' : of.decisions.some(one => one.decision === 'denied' && one.full?.some(isOwn)) && mayReset && 'reset';
  const more = html`<button type="button" @click=${app.doing(() => copy(app, summary(of)))}>Copy <small>as text</small></button>`;
  return html`${actions(app, shown, { reset: mayReset, size: mayReset && !of.listed, freeze: mayFreeze, likely }, action => acting(app, action), more)}
    ${why ? html`<p class="quiet">${why}</p>` : nothing}`;
}

function state(of) {
  const all = Object.entries(of.states);
  return html`<details><summary>Details, and the state in Redis</summary>
    <ul class="facts">${of.words.map(line => html`<li>${line}</li>`)}</ul>
    ${all.map(([key, fields]) => html`<h3><code>${key}</code></h3>${facts(Object.entries(fields))}`)}</details>`;
}

/**
 * The state of the key that is shown.
 *
 * @param close the address without it
 * @param manage draws what else can be done to its record
 */
export function draw(app, close, manage = () => nothing) {
  const of = shown.explained;
  const name = of ? `${of.tenant}/${of.key}` : shown.key || shown.id;
  return html`<section class="panel detail" aria-label=${`about ${name}`}>
    <header><h2 tabindex="-1">${name}
      ${of ? html`<small>plan ${of.plan}</small>` : nothing}
      ${shown.record && shown.record.state !== 'active' ? html`<span class="tag warn">${shown.record.state}</span>` : nothing}</h2>
      <a class="close" data-key="Escape" href=${close} aria-label="close">✕</a></header>
    ${shown.denial ? html`<h3>The denial</h3>${denialFacts(shown.denial)}` : nothing}
    ${of
      ? html`${shown.denial ? html`<h3>The key now</h3>` : nothing}${limitedSince(of.tenant, of.key, shown.limit)}${decisions(of)}${buttons(app, of)}${manage(app, { ...shown }, () => find(true))}
          <h3>Limits</h3>${limits(of)}${holders(of)}
          <h3>${denials.heading()} ${denials.found() ? silent(denials.found()) : nothing}</h3>${denials.draw(app)}
          <h3>Record</h3>${about(of)}${state(of)}`
      : app.failure ? nothing : loading(6)}
  </section>`;
}
