// Providers, jobs, windows and receivers of warnings: how each does, in the last minute.

import { ask, withQuery } from './api.js';
import { age, ahead, confirmed, facts, html, keyLink, loading, nothing, number, panel, silent, stack, table, wait } from './parts.js';

const MINUTE_MILLIS = 60_000;

const shown = { states: null, meters: [] };

async function find(app) {
  const [states] = await Promise.all([ask('/v1/states'), findJobs(app), findWarnings()]);
  // A node of an older release does not tell what it has counted lately.
  const meters = states.nodes.flatMap(({ latelyMs, meters }) => meters.map(meter => ({ lately: { value: 0 }, ...meter, latelyMs })));
  Object.assign(shown, { states, meters });
}

function matching(name, tags) {
  return shown.meters.filter(meter => meter.name === name && Object.entries(tags).every(([tag, value]) => meter.tags[tag] === value));
}

/** What all nodes have counted in the last minute; one that has started since tells of its own time. */
const counted = (name, tags) => matching(name, tags).reduce((sum, meter) => sum + meter.lately.value, 0);
const perSecond = (name, tags) => matching(name, tags).reduce((sum, meter) => sum + (1000 * meter.lately.value) / Math.max(1000, meter.latelyMs || 0), 0);

function span() {
  const millis = Math.max(...shown.states.nodes.map(node => node.latelyMs || 0));
  return millis < MINUTE_MILLIS ? wait(1000 * Math.round(millis / 1000)) : 'minute';
}

const highest = (name, tags) => Math.max(0, ...matching(name, tags).map(meter => meter.value));
const added = (name, tags) => matching(name, tags).reduce((sum, meter) => sum + meter.value, 0);

// A bucket counts all times up to its bound; one that counts as many as the one before is left out.
const upTo = (bound, { lately }) => lately.buckets?.findLast(([one]) => one <= bound)?.[1] || 0;

// The least bound that 99 % of the last minute's times do not exceed.
function p99(name, tags) {
  const all = matching(name, tags);
  const bounds = all.flatMap(meter => meter.lately.buckets || []).map(([bound]) => bound).sort((one, other) => one - other);
  const count = bound => all.reduce((sum, meter) => sum + upTo(bound, meter), 0);
  const most = 0.99 * count(bounds.at(-1));
  return most ? bounds.find(bound => count(bound) >= most) : null;
}

const instant = text => text?.match(/\((\d{4}-[\d-]+T[\d:.]+Z)/)?.[1];
const whole = text => text && Number.parseInt(text, 10);

function provider(upstream, name, state) {
  const tags = { upstream, provider: name };
  const outcome = of => counted('upstream.attempts', { ...tags, outcome: of });
  const all = counted('upstream.attempts', tags);
  return {
    name,
    rate: perSecond('upstream.attempts', tags),
    failed: all ? (100 * outcome('bad')) / all : 0,
    p99: p99('upstream.latency', tags),
    busy: whole(state[`busy:${name}`]),
    isLeftAlone: highest('upstream.breaker', tags) > 1,
    open: instant(state[`open:${name}`]),
    isTried: highest('upstream.breaker', tags) === 1,
    cool: instant(state[`cool:${name}`]),
    isKeyRefused: highest('upstream.key.refused', tags) > 0,
    refused: outcome('refused')
  };
}

function standing(one) {
  if (one.isLeftAlone) {
    return html`<span class="state bad">left alone after failures, tried again ${ahead(one.open)}</span>`;
  }
  if (one.isTried) {
    return html`<span class="state warn">tried with one request after failures</span>`;
  }
  if (Date.parse(one.cool) > Date.now()) {
    return html`<span class="state warn">asked to be left alone, ${ahead(one.cool)}</span>`;
  }
  return one.isKeyRefused ? html`<span class="state bad">refuses a key</span>` : one.refused ? html`<span class="state warn">has refused its key</span>` : html`<span class="state">used</span>`;
}

// Keys of providers that are left alone, because their provider asked for it or refused them.
function rests(app, of) {
  const all = Object.entries(of.state)
    .map(([field, text]) => [field.match(/^cool:([^/]+)\/([^/]+)$/), instant(text)])
    .filter(([names, until]) => names && Date.parse(until) > Date.now());
  const again = (provider, key) => app.doing(async () => {
    await ask(`/v1/upstreams/${[of.name, 'rests', provider, key].map(encodeURIComponent).join('/')}`, { method: 'DELETE' });
    await find(app);
  });
  return all.map(([[, provider, key], until]) => html`<p>Key <b>${key}</b> of ${provider} is left alone, used again ${ahead(until)}
    <button type="button" ?disabled=${!app.may('all')} @click=${again(provider, key)}>Use now</button></p>`);
}

function upstream(app, of) {
  const names = new Set(matching('upstream.breaker', { upstream: of.name }).map(meter => meter.tags.provider));
  const underWay = highest('upstream.inflight', { upstream: of.name });
  const limit = highest('upstream.limit', { upstream: of.name });
  const waiting = added('upstream.queue', { upstream: of.name });
  const columns = [
    ['provider', one => html`<b>${one.name}</b>`, 'long'],
    ['state', standing],
    ['rate', one => `${number(one.rate)}/s`, 'number hour'],
    ['failed', one => `${number(one.failed)} %`, 'number'],
    ['p99', one => (one.p99 === null ? '–' : wait(one.p99)), 'number hour'],
    ['under way', one => one.busy ?? '–', 'number hour']
  ];
  const rows = [...names].sort().map(name => provider(of.name, name, of.state));
  return html`<h3>${of.name} <small>${number(underWay)}${limit ? ` of ${number(limit)}` : ''} under way, ${number(waiting)} waiting</small></h3>
    ${table(columns, rows, 'Nothing was sent to its providers since the nodes started.', of.name)}${rests(app, of)}${raw(of)}`;
}

function raw(of) {
  const fields = Object.entries(of.state);
  return fields.length ? html`<details><summary>State in Redis</summary>${facts(fields)}</details>` : nothing;
}

// The numbers from the watermark to the head, by what their ranges wait for.
function standingOf(one) {
  const open = highest('window.open', { window: one.name });
  const failed = highest('window.failed', { window: one.name });
  const todo = whole(one.state.todo) || 0;
  const parts = [[failed, 'bad', 'failed'], [Math.max(0, open - failed - todo), 'fill', 'claimed, or to be tried again'], [todo, 'rest', 'to be claimed']].filter(([count]) => count);
  const words = parts.map(([count, , of]) => `${number(count)} ${of}`).join(', ');
  return html`${stack(parts, `${number(open)} open ranges: ${words}`)}
    <small>${number(open)} open${parts.map(([count, kind, of]) => html`, <span class=${kind}>${number(count)} ${of}</span>`)}</small>`;
}

function windows(all) {
  const columns = [
    ['window', one => html`<b>${one.name}</b>`, 'long'],
    ['done up to', one => number(highest('window.watermark', { window: one.name })), 'number'],
    ['ranges', standingOf, 'wide'],
    ['next number', one => one.state.next ?? '–', 'number hour'],
    ['details', raw, 'hour']
  ];
  return table(columns, all, 'The policy has no windows.', 'windows');
}

// The jobs of all operations that are not done; those of one operation in pages.
const PAGE = 50;
const STATES = { queued: 'waits', checking: 'asked whether it is ready', ready: 'waits to be sent', in_flight: 'running', receipt_received: 'running, with a receipt' };

const queued = { queues: null, list: null };

const jobPath = (...names) => ['/v1/job-queues', ...names.map(encodeURIComponent)].join('/');
const address = (jobs, from) => withQuery('#/work', { jobs, from: from || '' });
const inSeconds = of => (of ? wait(1000 * of) : 'now');
const length = of => of.waiting + of.checking + of.dispatch + of.running;

/** Asks for the queues, and for the page of the address. */
async function findJobs(app) {
  const { jobs, from } = app.parameters;
  const [all, list] = await Promise.all([ask(jobPath()), jobs ? ask(withQuery(jobPath(jobs), { from, limit: PAGE })) : null]);
  Object.assign(queued, { queues: all.queues, list });
}

async function cancelJob(app, operation, job) {
  const isSure = await confirmed({
    title: 'Cancel the job?',
    content: html`<p>${operation} of ${job.tenant}/${job.key}, ${STATES[job.state] || job.state}, ${wait(job.ageMs)} old.</p><p><code>${job.id}</code></p>`,
    action: 'Cancel the job',
    danger: true
  });
  if (isSure) {
    await ask(jobPath(operation, job.id), { method: 'DELETE' });
    await findJobs(app);
    app.say('The job is cancelled.');
  }
}

function jobList(app) {
  const { operation, from, jobs } = queued.list;
  const total = length(queued.list);
  const columns = [
    ['job', job => html`<code title=${job.id}>${job.id.slice(0, 8)}</code>`, 'hour'],
    ['key', job => keyLink(job.key, job.tenant), 'long'],
    ['state', job => html`${STATES[job.state] || job.state}${job.position === undefined ? nothing : html` <small>${number(job.position)} before it</small>`}`],
    ['age', job => wait(job.ageMs), 'number hour'],
    ['done in', job => inSeconds(job.etaSeconds), 'number hour'],
    ['tries', job => number(job.attempts), 'number hour'],
    ['', job => html`<button type="button" ?disabled=${!app.may('keys')} @click=${app.doing(() => cancelJob(app, operation, job))}>Cancel…</button>`]
  ];
  const to = (start, words) => html`<a href=${address(operation, start)}>${words}</a>`;
  return html`<h3>${operation}: ${jobs.length ? `${number(from + 1)} to ${number(from + jobs.length)} of ${number(total)}` : number(total)}
      ${from ? to(Math.max(0, from - PAGE), 'Before') : nothing} ${from + jobs.length < total ? to(from + PAGE, 'Next') : nothing} <a data-key="Escape" href="#/work">Close</a></h3>
    ${table(columns, jobs, 'None is under way.', `jobs of ${operation}`)}`;
}

/** The queues; `ended` says what has ended of an operation in the last minute. */
function drawJobs(app, ended) {
  const columns = [
    ['operation', one => html`<a data-row href=${address(one.operation)}>${one.operation}</a>`],
    ['waiting', one => number(one.waiting + one.checking), 'number'],
    ['to be sent', one => number(one.dispatch), 'number hour'],
    ['running', one => number(one.running), 'number'],
    ['oldest', one => (one.oldestMs === undefined ? '–' : wait(one.oldestMs)), 'number hour'],
    ['a new one takes', one => inSeconds(one.etaSeconds), 'number'],
    ['ended', one => `${number(ended(one.operation).rate)}/s`, 'number hour'],
    ['failed', one => number(ended(one.operation).failed), 'number']
  ];
  return html`${table(columns, queued.queues, 'The policy has no operation with jobs.', 'jobs', one => one.operation === queued.list?.operation)}
    ${queued.list ? jobList(app) : nothing}`;
}

// The receivers of warnings, and the rules that name them.
const known = { rules: null, receivers: null };

/** Asks what became of the messages of this node. */
async function findWarnings() {
  Object.assign(known, await ask('/v1/warnings'));
}

async function testReceiver(app, to) {
  const done = await ask('/v1/warnings/test', { method: 'POST', json: { to } });
  await findWarnings();
  app.say(done.delivered ? `${to} has taken it: status ${done.status}.` : `${to} has not taken it: ${done.why}.`);
}

function reached(one) {
  if (one.failingSince) {
    return html`<span class="state bad">fails for ${age(one.failingSince)}: ${one.why}</span>`;
  }
  return one.lastDelivered ? html`<span class="state">takes them, the last ${age(one.lastDelivered)} ago</span>` : html`<span class="quiet">nothing was sent yet</span>`;
}

const namedBy = name => known.rules.filter(rule => rule.to === name).map(rule => `${rule.name} at ${rule.at.join(', ')} %`);

/** The receivers of the node that serves this page; a rule may name one that it does not have. */
function drawWarnings(app) {
  const missing = known.rules?.filter(rule => !known.receivers.some(one => one.name === rule.to)) || [];
  const columns = [
    ['receiver', one => html`<b>${one.name}</b>`, 'long'],
    ['state', reached, 'long'],
    ['rules', one => namedBy(one.name).join('; ') || html`<span class="quiet">none</span>`, 'long hour'],
    ['taken', one => number(one.delivered), 'number hour'],
    ['failed', one => number(one.failed), 'number'],
    ['', one => html`<button type="button" ?disabled=${!app.may('all')} @click=${app.doing(() => testReceiver(app, one.name))}>Test</button>`]
  ];
  return html`${table(columns, known.receivers, 'This node has no receivers of webhooks.', 'receivers')}
    ${missing.map(rule => html`<p class="bad">Rule ${rule.name} names ${rule.to}, which this node does not have.</p>`)}`;
}

export default {
  title: 'Providers & jobs',
  load: find,

  heard(app) {
    app.refresh(() => find(app));
  },

  draw(app) {
    const { states } = shown;
    if (!states) {
      return panel('Providers', loading()); // alone: what stands below would move
    }
    const aside = html`<span class="quiet">rates, failures and p99: the last ${span()}</span> ${silent(states)}`;
    return html`${panel('Providers', states.upstream.length ? states.upstream.map(one => upstream(app, one)) : html`<p class="empty">The policy has no upstream of providers.</p>`, aside)}
      ${panel('Jobs', drawJobs(app, operation => ({
        rate: perSecond('jobs.ended', { operation }),
        failed: ['failed', 'timed_out'].reduce((sum, state) => sum + counted('jobs.ended', { operation, state }), 0)
      })))}
      ${panel('Windows', windows(states.window))}
      ${panel('Warnings', drawWarnings(app))}`;
  }
};
