// Denials that the nodes remember: in groups, paused, filtered, as files.

import { ask, withQuery } from './api.js';
import { age, clock, download, facts, filter, html, keyLink, matches, nothing, number, steady, table, time, wait } from './parts.js';

const MOST = 500;
const COLUMNS = ['id', 'at', 'node', 'listens', 'tenant', 'key', 'plan', 'operation', 'cost', 'outcome', 'reason', 'why', 'full', 'retryAfterMs', 'estimate', 'degraded', 'revision', 'trace'];

const limits = one => one.full.map(full => full.limit).join(', ') || one.reason;
const groupOf = one => [one.tenant, one.key, one.operation, limits(one), one.why, one.outcome].join('\n');
const inWords = one => one.why || limits(one);
/** The operation of requests that no rule of the policy matches. */
export const UNMATCHED = 'unlisted';
export const operationName = one => (one.operation === UNMATCHED ? 'no operation of the policy' : one.operation);
/** The operation, if it is known: a request is refused for a freeze before it is looked for. */
export const operation = one => (one.why && one.operation === UNMATCHED ? nothing : html`<small>${operationName(one)}</small>`);
const words = outcome => ({ would_deny: 'would be denied', never_allowed: 'blocked', denied: 'denied' })[outcome] || outcome.replace('_', ' ');

/** Denials of one key, operation and limit as one, the latest first. */
export function groups(denials) {
  const all = new Map();
  denials.forEach(one => all.set(groupOf(one), [...(all.get(groupOf(one)) || []), one]));
  return [...all.entries()].map(([name, members]) => ({ name, members, latest: members[0], first: members.at(-1) }));
}

function told(one) {
  if (one.retryAfterMs === undefined || one.outcome === 'would_deny') {
    return words(one.outcome);
  }
  return `retry after ${one.estimate ? 'about ' : ''}${wait(one.retryAfterMs)}`;
}

function csv(denials) {
  const cell = value => {
    const text = value === undefined ? '' : Array.isArray(value) ? value.map(one => one.limit).join(' ') : String(value);
    // A table calculator takes what begins with one of these for a formula.
    const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return [COLUMNS.join(','), ...denials.map(one => COLUMNS.map(name => cell(name === 'operation' ? operationName(one) : one[name])).join(','))].join('\n');
}

/** All that is known of one denial. */
export function denialFacts(one) {
  const rows = [
    ['id', html`<code>${one.id}</code>`],
    ['at', html`${time(one.at)} <small>${age(one.at)} ago</small>`],
    ['key', keyLink(one.key, one.tenant, { operation: one.operation })],
    ['plan', one.plan],
    ['operation', html`${one.operation === UNMATCHED && one.why?.endsWith('frozen') ? 'not looked for' : operationName(one)} <small>cost ${number(one.cost)}</small>`],
    ['outcome', told(one)],
    ['full', one.full.map(full => html`<b>${full.limit}</b> <small>${[full.kind, full.scope && `of the ${full.scope}`].filter(Boolean).join(' ')}</small> `)],
    ['reason', one.why || html`<code>${one.reason}</code>`],
    ['node', html`<span title=${one.node}>${one.listens || one.node}</span>${one.degraded ? html` <span class="tag">degraded: decided without Redis</span>` : nothing}`],
    ['policy', one.revision ? `revision ${one.revision}` : 'none'],
    ...(one.carried ? [['limit of the command', `${number(one.carried.maxBurst + 1)} at once, ${number(one.carried.count)} in ${wait(1000 * one.carried.periodSeconds)}`]] : []),
    ['trace', one.trace ? html`<code>${one.trace}</code>` : 'none']
  ];
  return facts(rows);
}

/** A list of denials that is filled from the nodes. Mutable. */
export function denialList(isOfOneKey) {
  const shown = { query: '', found: null, isPaused: false };

  const inOrder = steady(group => group.name);

  const matching = app => (shown.found?.denials || []).filter(one => isOfOneKey || matches(app, groupOf(one)));

  const single = one => html`<li><time datetime=${one.at} title=${age(one.at)}>${clock(one.at)}</time>
    <a href=${withQuery('#/now', { id: one.id })}><code>${one.id}</code></a> ${told(one)}${one.degraded ? html` <span class="tag">degraded</span>` : nothing}</li>`;

  // An open group does not move while it is read.
  const stand = event => {
    shown.isPaused ||= event.target.open;
  };

  const columns = [
    ...(isOfOneKey ? [] : [['who', group => keyLink(group.latest.key, group.latest.tenant, { operation: group.latest.operation, limit: limits(group.latest) }), 'long']]),
    ['limit', group => html`<b>${inWords(group.latest)}</b> ${operation(group.latest)}`, 'long'],
    ['denials', group => html`<details @toggle=${stand}><summary>${number(group.members.length)}</summary><ul class="singles">${group.members.slice(0, 50).map(single)}</ul></details>`],
    ['oldest', group => age(group.first.at), 'number hour'],
    ['newest', group => age(group.latest.at), 'number'],
    ['the caller got', group => told(group.latest), isOfOneKey ? '' : 'hour']
  ];

  return {
    /** Asks for denials of a query; those shown stay until the answer has come, unless they are of another one, and while they are paused. */
    async find(query) {
      const asked = JSON.stringify(query);
      if (asked !== shown.query) {
        Object.assign(shown, { query: asked, found: null, isPaused: false });
      }
      if (!shown.isPaused) {
        const found = await ask(withQuery('/v1/denials', { ...query, limit: isOfOneKey ? 50 : MOST }));
        if (asked === shown.query && !(shown.isPaused && shown.found)) {
          shown.found = found;
        }
      }
    },
    found: () => shown.found,
    /** What is shown of one key: nodes do not remember each denial of a key that is denied often. */
    heading() {
      const all = shown.found?.denials || [];
      const oldest = all.at(-1)?.at;
      return all.length > 1 ? html`${number(all.length)} remembered denials, all of the last ${age(oldest)}` : oldest ? html`Remembered denial of ${age(oldest)} ago` : 'Remembered denials';
    },
    draw(app) {
      const all = matching(app);
      const pause = () => {
        shown.isPaused = !shown.isPaused;
        app.draw();
      };
      const name = `denials-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`;
      return html`<div class="line tools">
          ${isOfOneKey ? nothing : filter(app, 'key, tenant, operation, limit')}
          <button type="button" aria-pressed=${shown.isPaused} @click=${pause}>${shown.isPaused ? 'Go on' : 'Pause'}</button>
          <button type="button" ?disabled=${!all.length} @click=${() => download(`${name}.csv`, 'text/csv', csv(all))}>CSV</button>
          <button type="button" ?disabled=${!all.length} @click=${() => download(`${name}.json`, 'application/json', JSON.stringify(all, null, 2))}>JSON</button>
        </div>
        ${table(columns, shown.found && inOrder(groups(all), shown.isPaused), 'No node remembers a denial.', 'denials')}`;
    }
  };
}
