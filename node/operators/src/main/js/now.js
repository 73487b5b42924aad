// One screen: what needs its operator, who is limited, why, since when, and what can be done.

import { ask, withQuery } from './api.js';
import { drawChanges, findChanges, marks } from './changes.js';
import { chart, minutes, rates } from './chart.js';
import { denialList, operation, UNMATCHED } from './denials.js';
import { draw as drawKey, refresh as refreshKey, show as showKey } from './key.js';
import { age, bar, clock, commands, html, loading, matches, nothing, number, silent, steady, table, tabbed, time } from './parts.js';
import { live } from './live.js';
import { closeTenant, drawTenant, showTenant } from './tenant.js';

const LISTS = {
  now: ['Limited now', 'Nobody is limited.'],
  nearly: ['Nearly', 'No limit is nearly full.'],
  wouldbe: ['Would be', 'No limit in audit mode and no candidate would deny anybody.'],
  closed: ['Closed', 'Nobody else was limited in the last 24 hours.'],
  denials: ['Denials', ''],
  changes: ['Changes', '']
};

// The author of a policy that a node has put in force at its start.
const SEEDED = 'node';

const TIMELINE_MILLIS = 10_000;

const denials = denialList(false);
const shown = { list: 'now', cases: null, timelineAt: -Infinity, isWhole: false };

const nameOf = one => [one.tenant, one.key || '', one.limit].join('\n');
const inOrder = steady(nameOf);

const PLACES = { provider_left_alone: '#/work', provider_refuses_key: '#/work', provider_refuses_all: '#/work', window_failed: '#/work', receiver_fails: '#/work', receiver_unknown: '#/work', policy_differs: '#/limits', policy_file_refused: '#/limits', denials_unusual: '#/now?list=denials' };

const MOST_NAMED = 3;

function namesOf(nodes) {
  const more = nodes.length - MOST_NAMED;
  return nodes.length > 1 && nodes.length === live.nodes.length ? 'all nodes' : `${nodes.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function finding(one, index) {
  const place = PLACES[one.code];
  return html`<li ?hidden=${index && !shown.isWhole}>${place ? html`<a href=${place}>${one.what}</a>` : html`<b>${one.what}</b>`}, since ${clock(one.since)} (${age(one.since)})
    ${one.nodes ? html`<small>${namesOf(one.nodes)}</small>` : nothing}<br>${commands(one.doThis)}</li>`;
}

// A node lists so many at most.
const totalOf = found => `${number(found.total)}${found.hasMore ? '+' : ''}`;

/**
 * How many things need the operator, the most urgent with since when and what to do, the others if asked for; or that nothing
 * does, since when, and how many are denied all the same. Both have the same height.
 */
function verdict(app) {
  const { needsYou, findings, redis, policy, quietSince, requests } = live.status;
  if (needsYou) {
    const more = findings.length - 1;
    const toggle = () => {
      shown.isWhole = !shown.isWhole;
      app.draw();
    };
    return html`<section class="verdict bad" aria-label="what needs you"><div><b>${more ? `${more + 1} things need you` : 'One thing needs you'}</b>
      ${more ? html`<button type="button" class="plain" aria-expanded=${shown.isWhole} @click=${toggle}>${shown.isWhole ? 'Only the first' : `and ${more} more`}</button>` : nothing}</div>
      <ul>${findings.map(finding)}</ul></section>`;
  }
  const facts = [
    nodesInWords(),
    redis.p99Ms === undefined ? 'Redis reachable' : `Redis p99 ${number(redis.p99Ms)} ms`,
    `policy ${policy.revision}${policy.since ? ` since ${clock(policy.since)}` : ''}${policy.by && policy.by !== SEEDED ? ` by ${policy.by}` : ''}`
  ];
  return html`<p class="verdict"><b>Nothing needs you</b>${quietSince ? html`, since ${clock(quietSince)} (${age(quietSince)})` : nothing} · ${requests.words}<br>
    <span class="quiet">${facts.join(' · ')}</span></p>`;
}

// A whole number keeps its decimal: the next one will have it.
const figure = value => (value < 1 || value >= 100 ? number(value) : value.toFixed(1));

function traffic() {
  const of = rates(live);
  const asked = of.meanPassed + of.meanDenied;
  const share = asked ? (100 * of.meanDenied) / asked : 0;
  return html`<section class="panel traffic" aria-label="requests">
    <p class="figures"><span><b>${figure(asked)}</b>/s asked</span><span class="of-passed"><b>${figure(of.meanPassed)}</b> passed</span>
      <span class="of-denied"><b>${figure(of.meanDenied)}</b> denied <small>${number(share)} %</small></span><small>means of the last minute${live.redis === 'away' ? ', of this node alone' : ''}</small></p>
    ${chart(of, [...live.begun.values(), ...live.unseen.map(node => ({ at: node.seen, words: `${node.listens} not seen any more` })), ...marks()])}
  </section>`;
}

const nodesInWords = () => `${live.nodes.length} ${live.nodes.length === 1 ? 'node' : 'nodes'}${live.unseen.length ? `, ${live.unseen.length} not seen` : ''}`;

function nodes() {
  const columns = [
    ['node', node => html`<span title=${node.node}>${node.listens}</span>${node.seen ? html` <small class="gone">not seen for ${age(node.seen, live.at)}</small>` : nothing}`, 'long'],
    ['up since', node => time(node.upSince), 'hour'],
    ['policy', node => node.revision, 'number'],
    ['Redis', node => (node.away > 0 ? html`<b class="bad">${Math.round(node.away * 100)} % away</b>` : `at most ${number(node.redisMostMs)} ms`)],
    ['waiting', node => number(node.held), 'number'],
    ['in use', node => number(node.holds), 'number hour'],
    ['pre-fetched', node => number(node.leased), 'number hour'],
    ['heap', node => html`${bar((100 * node.heapUsedMb) / node.heapMostMb, `${node.heapUsedMb} of ${node.heapMostMb} MB`)} <small>${node.heapUsedMb} of ${node.heapMostMb} MB</small>`, 'wide hour']
  ];
  return html`<details class="nodes"><summary>${nodesInWords()}</summary>${table(columns, [...live.nodes, ...live.unseen], '', 'nodes')}</details>`;
}

/** The address of the list, and of a case in it. */
function address(app, one = {}) {
  return withQuery('#/now', { list: shown.list === 'now' ? '' : shown.list, find: app.parameters.find, ...one });
}

function who(app, one) {
  const operation = one.operation === UNMATCHED ? '' : one.operation;
  const of = one.key ? { key: one.key, operation, limit: one.limit } : { tenant: one.tenant, limit: one.limit };
  const title = one.key ? nothing : 'the limit is shared';
  return html`<a data-row title=${title} href=${address(app, of)}><span class="quiet">${one.tenant}/<wbr></span>${one.key || html`<small>all its keys</small>`}</a>`;
}

function isOpen(app, one) {
  const { key, tenant, limit } = app.parameters;
  return one.limit === limit && (one.key ? one.key === key : one.tenant === tenant);
}

const casesOf = app => (shown.list === 'now' && !app.session.tenant ? live.cases : shown.cases);

/** The table of cases: who is limited, by which limit, since when. */
function cases(app) {
  const found = casesOf(app);
  const times = { nearly: 'nearly full', wouldbe: 'would be denied' }[shown.list] || 'denied';
  const columns = [
    ['who', one => who(app, one)],
    ['limit', one => html`<b>${one.why || one.limit}</b> ${operation(one)}`, 'long'],
    ['since', one => age(one.since, found.at), 'number'],
    // Grey: its limit was raised, or its caller has stopped.
    ['last', one => html`<span class=${shown.list === 'now' && Date.parse(found.at) - Date.parse(one.last) > 15_000 ? 'gone' : ''}>${age(one.last, found.at)}</span>`, 'number hour'],
    shown.list === 'closed' ? ['denied', one => number(one.requests), 'number'] : [`${times} last minute`, one => number(one.lastMinute), 'number'],
    [`${times} last hour`, one => html`${number(one.lastHour)} ${minutes(one.minutes)}`, 'number hour']
  ];
  const matching = found && inOrder(found.cases.filter(one => matches(app, `${one.tenant}/${one.key || ''} ${one.limit} ${one.why || ''} ${one.operation}`)));
  return html`${app.parameters.find ? html`<p class="line">only <b>${app.parameters.find}</b> <a href=${withQuery('#/now', { list: shown.list })}>all</a></p>` : nothing}
    ${table(columns, matching, LISTS[shown.list][1], 'cases', one => isOpen(app, one))}
    ${found && found.total > found.cases.length ? html`<p class="quiet">and ${number(found.total - found.cases.length)}${found.hasMore ? ' or' : ''} more</p>` : nothing}`;
}

function list(app) {
  const ofTenant = ['now', 'nearly', 'wouldbe', 'closed', 'denials'];
  const parts = Object.entries(LISTS)
    .filter(([name]) => !app.session.tenant || ofTenant.includes(name))
    .map(([name, [title]]) => [name, withQuery('#/now', { list: name === 'now' ? '' : name }), name === 'now' && live.cases ? `${title} ${totalOf(live.cases)}` : title]);
  const content = { denials: () => denials.draw(app), changes: () => drawChanges(app) }[shown.list] || (() => cases(app));
  const answered = { denials: denials.found(), changes: null }[shown.list] ?? casesOf(app);
  return tabbed('lists', parts, shown.list, content(), answered ? silent(answered) : nothing);
}

function detail(app) {
  const close = address(app);
  const { key, id, tenant } = app.parameters;
  if (key || id) {
    return drawKey(app, close);
  }
  return tenant ? drawTenant(app, close) : nothing;
}

async function find(app) {
  if (shown.list === 'denials') {
    await denials.find({ tenant: app.session.tenant || '' });
  } else if (shown.list !== 'changes' && (shown.list !== 'now' || app.session.tenant)) {
    const { list: asked } = shown;
    const found = await ask(withQuery('/v1/cases', { state: asked, limit: 32 }));
    if (asked === shown.list) {
      shown.cases = found;
    }
  }
  await refreshDetail(app);
}

async function refreshDetail(app) {
  const { key, id, tenant } = app.parameters;
  if (key || id) {
    await refreshKey();
  } else if (tenant) {
    await showTenant(tenant);
  }
}

// Changes are rare: the timeline and the marks of the chart need no haste.
async function findTimeline(app) {
  if (!app.session.tenant && performance.now() - shown.timelineAt > TIMELINE_MILLIS) {
    shown.timelineAt = performance.now();
    await findChanges();
  }
}

export default {
  title: 'Now',
  isOfTenant: true,

  async load(app) {
    const { list: asked = 'now', key, id, limit, operation, tenant } = app.parameters;
    const chosen = LISTS[asked] ? asked : 'now';
    Object.assign(shown, chosen === shown.list ? {} : { list: chosen, cases: null, timelineAt: -Infinity });
    if (key || id) {
      showKey({ key, id, limit, operation });
    } else if (!tenant) {
      closeTenant();
    }
    app.draw();
    await find(app);
    await findTimeline(app);
  },

  heard(app) {
    app.refresh(async () => {
      await find(app);
      await findTimeline(app);
    });
  },

  draw(app) {
    const isOpened = ['key', 'id', 'tenant'].some(name => app.parameters[name]);
    const status = app.session.tenant ? nothing : live.span ? html`${verdict(app)}${traffic()}` : html`<p class="verdict">…</p><section class="panel traffic" aria-label="requests">${loading(4)}</section>`;
    return html`${status}
      <div class=${isOpened ? 'split' : ''}>${list(app)}${isOpened ? detail(app) : nothing}</div>
      ${live.span ? nodes() : nothing}`;
  }
};
