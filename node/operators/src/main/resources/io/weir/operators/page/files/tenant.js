// All about one tenant: what its keys share, its record, and its keys.

import { ask, withQuery } from './api.js';
import { ahead, bar, facts, html, keyLink, loading, nothing, number, period, rate, table } from './parts.js';

const MOST = 20;

const shown = { tenant: '', record: null, keys: null, limits: [] };

/** Nothing is shown. */
export function closeTenant() {
  Object.assign(shown, { tenant: '', record: null, keys: null, limits: [] });
}

async function record(tenant) {
  try {
    return await ask(`/v1/tenants/${encodeURIComponent(tenant)}`);
  } catch (error) {
    if (error.status === 404) {
      return null;
    }
    throw error;
  }
}

// Shared limits are the same for all keys, so the first key is explained.
async function shared(keys) {
  return keys.length ? (await ask(withQuery('/v1/explain', { key: keys[0].id }))).limits.filter(one => one.scope === 'tenant') : [];
}

/** Asks for all that is shown of a tenant. */
export async function showTenant(tenant) {
  if (tenant !== shown.tenant) {
    closeTenant();
    shown.tenant = tenant;
  }
  const found = await record(tenant);
  const { keys } = await ask(withQuery('/v1/keys', { tenant, limit: MOST }));
  const limits = await shared(keys);
  if (tenant === shown.tenant) {
    Object.assign(shown, { record: found, keys, limits });
  }
}

function about() {
  const { record: of } = shown;
  return of
    ? facts([
        ['state', of.state],
        ['plan', of.plan || 'the default'],
        ['keys at most', of.maxKeys ?? 'not bounded'],
        ['note', of.note || 'none']
      ])
    : html`<p class="quiet">The tenant has no record: its keys have the plans of the policy.</p>`;
}

function limits() {
  const used = one => `${number(one.used)} of ${number(one.capacity)}`;
  const columns = [
    ['limit', one => html`<b>${one.limit}</b> <small>${one.kind}</small>`],
    ['used', one => html`${bar(one.usedPercent, `${used(one)} used`, true)}<small>${used(one)}</small>`, 'wide'],
    ['size', one => (one.opsPerSec ? rate(one.opsPerSec) : one.periodMs ? period(one.periodMs) : '')],
    ['all free', one => (one.emptyAt || one.resetAt ? ahead(one.emptyAt || one.resetAt) : 'now')]
  ];
  return table(columns, shown.limits, 'Its keys share no limit, or have no records.', 'shared limits');
}

/**
 * The state of the tenant that is shown.
 *
 * @param close the address without it
 * @param reset forgets what its keys have used together
 */
export function drawTenant(app, close, reset) {
  const { tenant, keys } = shown;
  const mayReset = app.may('keys') && !app.session.tenant;
  return html`<section class="panel detail" aria-label=${`about ${tenant}`}>
    <header><h2 tabindex="-1">${tenant}/</h2><a class="close" data-key="Escape" href=${close} aria-label="close">✕</a></header>
    ${keys
      ? html`<div class="buttons"><button type="button" data-key="r" ?disabled=${!mayReset} @click=${app.doing(async () => {
            await reset({ tenant });
            await showTenant(tenant);
          })}>Reset…</button>
          <a class="button" href=${withQuery('#/keys', { tenant })}>All its keys</a></div>
        <h3>Shared limits</h3>${limits()}
        <h3>Record</h3>${about()}
        <h3>Keys</h3>${table([['key', one => keyLink(one.id, '')], ['plan', one => one.plan || 'of the tenant'], ['state', one => one.state]], keys, 'The tenant has no keys with records.', 'keys of the tenant')}`
      : app.failure ? nothing : loading(4)}
  </section>`;
}
