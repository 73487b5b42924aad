// The jobs of all operations that are not done; those of one operation in pages.

import { ask, withQuery } from './api.js';
import { confirmed, html, keyLink, nothing, number, table, wait } from './parts.js';

const PAGE = 50;
const STATES = { queued: 'waits', checking: 'asked whether it is ready', ready: 'waits to be sent', in_flight: 'running', receipt_received: 'running, with a receipt' };

const shown = { queues: null, list: null };

const path = (...names) => ['/v1/job-queues', ...names.map(encodeURIComponent)].join('/');
const address = (jobs, from) => withQuery('#/work', { jobs, from: from || '' });
const seconds = of => (of ? wait(1000 * of) : 'now');
const length = of => of.waiting + of.checking + of.dispatch + of.running;

/** Asks for the queues, and for the page of the address. */
export async function findJobs(app) {
  const { jobs, from } = app.parameters;
  const [all, list] = await Promise.all([ask(path()), jobs ? ask(withQuery(path(jobs), { from, limit: PAGE })) : null]);
  Object.assign(shown, { queues: all.queues, list });
}

async function cancel(app, operation, job) {
  const isSure = await confirmed({
    title: 'Cancel the job?',
    content: html`<p>${operation} of ${job.tenant}/${job.key}, ${STATES[job.state] || job.state}, ${wait(job.ageMs)} old.</p><p><code>${job.id}</code></p>`,
    action: 'Cancel the job',
    danger: true
  });
  if (isSure) {
    await ask(path(operation, job.id), { method: 'DELETE' });
    await findJobs(app);
    app.say('The job is cancelled.');
  }
}

function list(app) {
  const { operation, from, jobs } = shown.list;
  const total = length(shown.list);
  const columns = [
    ['job', job => html`<code title=${job.id}>${job.id.slice(0, 8)}</code>`],
    ['key', job => keyLink(job.key, job.tenant)],
    ['state', job => html`${STATES[job.state] || job.state}${job.position === undefined ? nothing : html` <small>${number(job.position)} before it</small>`}`],
    ['age', job => wait(job.ageMs), 'number'],
    ['done in', job => seconds(job.etaSeconds), 'number'],
    ['tries', job => number(job.attempts), 'number'],
    ['', job => html`<button type="button" ?disabled=${!app.may('keys')} @click=${app.doing(() => cancel(app, operation, job))}>Cancel…</button>`]
  ];
  const to = (start, words) => html`<a href=${address(operation, start)}>${words}</a>`;
  return html`<h3>${operation}: ${jobs.length ? `${number(from + 1)} to ${number(from + jobs.length)} of ${number(total)}` : number(total)}
      ${from ? to(Math.max(0, from - PAGE), 'Before') : nothing} ${from + jobs.length < total ? to(from + PAGE, 'Next') : nothing} <a data-key="Escape" href="#/work">Close</a></h3>
    ${table(columns, jobs, 'None is under way.', `jobs of ${operation}`)}`;
}

/** The queues; `ended` says what has ended of an operation in the last minute. */
export function drawJobs(app, ended) {
  const columns = [
    ['operation', one => html`<a data-row href=${address(one.operation)}>${one.operation}</a>`],
    ['waiting', one => number(one.waiting + one.checking), 'number'],
    ['to be sent', one => number(one.dispatch), 'number'],
    ['running', one => number(one.running), 'number'],
    ['oldest', one => (one.oldestMs === undefined ? '–' : wait(one.oldestMs)), 'number'],
    ['a new one takes', one => seconds(one.etaSeconds), 'number'],
    ['ended', one => `${number(ended(one.operation).rate)}/s`, 'number'],
    ['failed', one => number(ended(one.operation).failed), 'number']
  ];
  return html`${table(columns, shown.queues, 'The policy has no operation with jobs.', 'jobs', one => one.operation === shown.list?.operation)}
    ${shown.list ? list(app) : nothing}`;
}
