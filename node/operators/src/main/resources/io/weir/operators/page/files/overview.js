// The cluster at a glance.

import { age, bar, html, keyLink, nothing, number, panel, spark, table, time } from './parts.js';
import { chart, lines } from './chart.js';
import { live } from './live.js';
import { silent } from './denials.js';

const FIRST_CASES = 8;

const sum = counts => counts.reduce((total, count) => total + count, 0);

function rates(admitted, denied) {
  const latest = of => sum(of.data.slice(1).map(line => line.at(-1)));
  const passed = latest(admitted);
  const refused = latest(denied);
  const total = passed + refused;
  return { passed, refused, share: total ? (100 * refused) / total : 0 };
}

/** What is wrong with the nodes. */
function faults() {
  const { nodes, nodesAsked } = live;
  const away = nodes.filter(node => node.away > 0).length;
  const revisions = new Set(nodes.map(node => node.revision));
  return [
    live.isHeard ? '' : 'This node is not heard',
    live.redis === 'away' ? 'Redis is away' : away ? `${away} of ${nodes.length} nodes decide without Redis` : '',
    nodes.length < nodesAsked ? `${nodesAsked - nodes.length} of ${nodesAsked} nodes do not answer` : '',
    revisions.size > 1 ? `the nodes have policies ${[...revisions].join(', ')}` : ''
  ].filter(Boolean);
}

/** One line: what is wrong, or how many are limited, or that nothing is. */
function verdict() {
  const wrong = faults();
  const limited = live.cases?.total || 0;
  const redis = Math.max(0, ...live.nodes.map(node => node.redisMostMs));
  const sound = [
    `${live.nodes.length} ${live.nodes.length === 1 ? 'node' : 'nodes'}`,
    `Redis ${redis > 0 ? `at most ${number(redis)} ms` : 'answers'}`,
    `policy ${live.nodes[0]?.revision}`
  ].join(' · ');
  const words = wrong.length ? wrong.join(' · ') : limited ? `${limited} limited now` : 'Nothing needs you';
  return html`<p class=${`verdict ${wrong.length ? 'bad' : limited ? 'warn' : 'good'}`}><b>${words}</b> ${wrong.length ? nothing : html`<span class="quiet">· ${sound}</span>`}</p>`;
}

function who(one) {
  return one.key
    ? keyLink(one.key, one.tenant, { operation: one.operation === 'unlisted' ? '' : one.operation, limit: one.limit })
    : html`<span title="the keys of the tenant share the limit">${one.tenant}/</span>`;
}

/** Who is limited, by what, and since when. */
function cases(found) {
  const columns = [
    ['who', who],
    ['limit', one => html`<b>${one.limit}</b> <small>${one.operation}</small>`],
    ['since', one => age(one.since, found.at), 'number'],
    ['last', one => age(one.last, found.at), 'number'],
    ['last hour', one => spark(one.minutes, `${one.lastHour} in the last hour`), 'wide'],
    ['minute', one => number(one.lastMinute), 'number'],
    ['hour', one => number(one.lastHour), 'number']
  ];
  const more = found.cases.slice(FIRST_CASES);
  return panel(
    'Limited now',
    html`${table(columns, found.cases.slice(0, FIRST_CASES), 'Nobody is limited.', 'cases')}
      ${more.length ? html`<details><summary>${found.total - FIRST_CASES} more</summary>${table(columns, more, '', 'more cases')}</details>` : nothing}`,
    silent(found)
  );
}

function figure(name, value, unit = '', kind = '') {
  return html`<div class=${`figure ${kind}`}><dt>${name}</dt><dd>${value}<small>${unit}</small></dd></div>`;
}

function figures(now) {
  const nodes = live.nodes;
  const away = Math.max(0, ...nodes.map(node => node.away));
  const revisions = new Set(nodes.map(node => node.revision));
  const redis = live.redis === 'away' || away >= 1 ? 'away' : away > 0 ? 'partly away' : 'answers';
  return html`<dl class="figures">
    ${figure('admitted', number(now.passed), '/s')}
    ${figure('denied', number(now.refused), '/s', now.refused > 0 ? 'warn' : '')}
    ${figure('denied', number(now.share), ' %')}
    ${figure('nodes', `${nodes.length}`, ` of ${live.nodesAsked}`, nodes.length < live.nodesAsked ? 'bad' : '')}
    ${figure('Redis', redis, '', redis === 'answers' ? '' : 'bad')}
    ${figure('policy', [...revisions].join(', '), ' revision', revisions.size > 1 ? 'warn' : '')}
    ${figure('waiting', number(sum(nodes.map(node => node.held))), ' held')}
    ${figure('leased', number(sum(nodes.map(node => node.leased))), ' unused')}
  </dl>`;
}

function count(row) {
  return row.atLeast === row.atMost ? number(row.atLeast) : `${number(row.atLeast)} – ${number(row.atMost)}`;
}

function names(title, rows, name, total, empty) {
  return table(
    [
      [title, name],
      ['times', row => count(row), 'number'],
      ['share', row => bar(total ? (100 * row.atLeast) / total : 0, `${Math.round((100 * row.atLeast) / (total || 1))} %`), 'wide']
    ],
    rows,
    empty,
    title
  );
}

function top(title, of, explanation, empty) {
  const aside = html`<span class="quiet">${number(of.total)} in the last minute</span>`;
  return panel(
    title,
    html`<p class="quiet">${explanation}</p>
      ${names('keys', of.keys, row => keyLink(row.key, row.tenant), of.total, empty)}
      ${of.total ? names('limits', of.limits, row => html`${row.limit} <small>${row.operation}, ${row.plan}</small>`, of.total, empty) : nothing}
      ${of.total ? names('tenants', of.tenants, row => row.tenant, of.total, empty) : nothing}`,
    aside
  );
}

function nodes() {
  return panel(
    'Nodes',
    table(
      [
        ['node', node => html`<span title=${node.node}>${node.listens}</span>`],
        ['up since', node => time(node.upSince)],
        ['policy', node => node.revision, 'number'],
        ['Redis', node => (node.away > 0 ? html`<b class="bad">${Math.round(node.away * 100)} % away</b>` : 'answers')],
        ['held', node => number(node.held), 'number'],
        ['holds', node => number(node.holds), 'number'],
        ['leased', node => number(node.leased), 'number'],
        ['heap', node => bar((100 * node.heapUsedMb) / node.heapMostMb, `${node.heapUsedMb} of ${node.heapMostMb} MB`, true), 'wide'],
        ['MB', node => `${node.heapUsedMb} / ${node.heapMostMb}`, 'number']
      ],
      live.nodes,
      'No node has answered.',
      'nodes'
    )
  );
}

export default {
  title: 'Overview',
  draw(app) {
    if (app.session.tenant) {
      return html`<p class="empty">Your token is for one tenant: see its denials and keys.</p>`;
    }
    if (!live.span) {
      return html`<p class="empty" aria-busy="true">Asking the nodes…</p>`;
    }
    const admitted = lines(live, 'admitted');
    const denied = lines(live, 'limits');
    return html`${verdict()}
      ${live.cases ? cases(live.cases) : nothing}
      ${figures(rates(admitted, denied))}
      <div class="two">
        ${panel('Admitted', chart('requests a second by operation', admitted))}
        ${panel('Denied', chart('requests a second by the limit that had no room', denied))}
      </div>
      <div class="two">
        ${live.top ? top('Denied most', live.top.denied, 'Those that are turned away.', 'Nobody is denied.') : nothing}
        ${live.top ? top('Nearly full', live.top.near, 'Admitted, but a limit is at least 80 % used: the next to be denied.', 'Nobody is near a limit.') : nothing}
      </div>
      ${nodes()}`;
  }
};
