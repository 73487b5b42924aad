// All about one tenant: what its keys share, its record, and its keys.

import { actions, edit, findRecord, inTurn, removeRecord } from './actions.js';
import { ask, withQuery } from './api.js';
import { limitedSince, limitTable, UNKNOWN } from './key.js';
import { age, facts, html, keyLink, loading, nothing, planOf, table } from './parts.js';

const MOST = 20;
const KEYS_MILLIS = 30_000;
const FIELDS = [{ name: 'plan', hint: 'the default if it is empty' }, { name: 'maxKeys', label: 'keys at most', type: 'number', hint: 'not bounded if it is empty' }, { name: 'note' }];

const NOTHING = { tenant: '', record: null, tag: '', keys: null, keysAt: -Infinity, limits: [] };

const shown = { ...NOTHING };

/** Nothing is shown. */
export function closeTenant() {
  Object.assign(shown, NOTHING);
}

async function explained(key) {
  try {
    return (await ask(withQuery('/v1/explain', { key }))).limits;
  } catch (error) {
    if ([404, 503].includes(error.status)) {
      return []; // ended meanwhile, or known to its own requests alone, or to Redis
    }
    throw error;
  }
}

// The shared limits are those of the plan of one of its keys: one with a record, or that of the last denial.
async function shared(tenant, keys) {
  const one = keys.find(key => key.state === 'active') || keys[0];
  const key = one?.id || (await ask(withQuery('/v1/denials', { tenant, limit: 1 }))).denials[0]?.key;
  return key ? (await explained(key)).filter(limit => limit.scope !== 'key') : [];
}

/** Asks for what is shown of a tenant; seldom for its keys, as the node looks for them in each part of the index. */
export async function showTenant(tenant, isAll) {
  if (tenant !== shown.tenant) {
    closeTenant();
    shown.tenant = tenant;
  }
  const found = await findRecord({ tenant });
  const now = performance.now();
  const isKnown = !isAll && now - shown.keysAt < KEYS_MILLIS;
  const { keys, keysAt } = found.isAway ? { keys: [] } : isKnown ? shown : { ...await ask(withQuery('/v1/keys', { tenant, limit: MOST })), keysAt: now };
  const limits = await shared(tenant, keys);
  if (tenant === shown.tenant) {
    Object.assign(shown, { ...found, keys, keysAt, limits });
  }
}

const until = limit => shown.record?.overrides?.find(one => (one.bucket || one.limits) === limit.limit)?.until;

function about() {
  const { record: of } = shown;
  return of
    ? facts([
        ['state', of.state === 'active' ? of.state : html`${of.state} <small>changed ${age(of.changed.at)} ago by ${of.changed.by}</small>`],
        ['plan', of.plan || 'the default'],
        ['keys at most', of.maxKeys ?? 'not bounded'],
        ...(of.unaffectedKeys ? [['not for', html`${of.unaffectedKeys.join(', ')} <small>the policy lists them</small>`]] : []),
        ['note', of.note || 'none']
      ])
    : html`<p class="quiet">${shown.isAway ? UNKNOWN : 'The tenant has no record: its callers have the plans of the policy.'}</p>`;
}

function buttons(app) {
  const { record } = shown;
  const mayChange = app.may('keys') && !app.session.tenant;
  // What was confirmed is done to the tenant as it was shown.
  const acting = action => app.doing(() => inTurn(async () => {
    const { tenant, record, tag, limits: all } = shown;
    try {
      await action({ tenant, record, tag, limit: app.parameters.limit, explained: { limits: all } });
    } finally {
      await showTenant(tenant, true);
    }
  }));
  return html`${actions(app, { record }, { reset: mayChange, size: mayChange, freeze: mayChange }, acting)}
    ${record && mayChange ? html`<div class="buttons"><button type="button" @click=${acting(of => edit(app, of, FIELDS))}>Change…</button>
      <button type="button" class="danger" @click=${acting(of => removeRecord(app, of, 'Its keys stay, without its plan and its limits.'))}>Delete…</button></div>` : nothing}`;
}

/**
 * The state of the tenant that is shown.
 *
 * @param close the address without it
 */
export function drawTenant(app, close) {
  const { tenant, keys } = shown;
  return html`<section class="panel detail" aria-label=${`about ${tenant}`}>
    <header><h2 tabindex="-1">${tenant} <small>tenant</small></h2><a class="close" data-key="Escape" href=${close} aria-label="close">✕</a></header>
    ${keys
      ? html`${limitedSince(tenant, '', app.parameters.limit)}${buttons(app)}
        <h3>Shared limits</h3>${limitTable(shown.limits, shown.record && shown.record.state !== 'active' ? `Its limits do not count: tenant is ${shown.record.state}.` : 'Its keys share no limit, or none of them is known.', 'shared limits', app.parameters.limit, until)}
        <h3>Record</h3>${about()}
        <h3>Keys <a href=${withQuery('#/keys', { tenant })}>all</a></h3>${table([['key', one => keyLink(one.id, ''), 'long'], ['plan', planOf, 'long'], ['state', one => one.state]], keys, shown.isAway ? UNKNOWN : 'The tenant has no keys with records.', 'keys of the tenant')}`
      : app.failure ? nothing : loading(4)}
  </section>`;
}
