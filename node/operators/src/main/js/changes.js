// The timeline of changes, in words.

import { remove } from './actions.js';
import { ask, askWithTag, withQuery } from './api.js';
import { age, clock, confirmed, filter, html, matches, nothing, rate, table } from './parts.js';

const MOST = 200;
const SETTINGS = ['plan', 'state', 'expires', 'overrides', 'labels', 'note', 'maxKeys'];
const MADE = ['plan', 'state', 'overrides'];
const DEFAULTS = { state: 'active' };
const RECORDS = ['key', 'tenant', 'token'];

const shown = { lines: null };

/** Asks for the last changes. */
export async function findChanges() {
  shown.lines = (await ask(`/v1/audit?limit=${MOST}`)).lines;
}

const target = line => {
  const [kind, ...name] = line.record.split(':');
  return { kind, name: name.join(':') };
};

function override(one) {
  const of = one.bucket || one.limits || one.operation || '';
  const size = one.opsPerSec !== undefined ? rate(one.opsPerSec) : one.rate || one.limit || JSON.stringify(one);
  return `${of} ${size}${one.until ? ` until ${clock(one.until)}` : ''}`;
}

function value(name, of) {
  const one = of?.[name] ?? DEFAULTS[name];
  if (one === undefined || (Array.isArray(one) && !one.length)) {
    return 'none';
  }
  if (name === 'expires') {
    return clock(one);
  }
  return name === 'overrides' ? one.map(override).join(', ') : typeof one === 'string' ? one : JSON.stringify(one);
}

const differ = (line, name) => JSON.stringify(line.before?.[name] ?? DEFAULTS[name]) !== JSON.stringify(line.after?.[name] ?? DEFAULTS[name]);

/** The effect of a change, without its target and its author. */
function effect(line) {
  const { before, after } = line;
  if (line.record === 'policy') {
    return `policy ${before.revision} → ${after.revision}${after.comment ? `: ${after.comment}` : ''}`;
  }
  if (line.what === 'reset') {
    return `reset ${[...new Set(after.reset.filter(one => one.waiting !== 0).map(one => one.limit || 'tickets'))].join(', ')}`; // a limit and the slots in it are one
  }
  if (!before || !after) {
    if (!RECORDS.includes(target(line).kind)) {
      return line.what; // such as the end of a rest
    }
    return before ? 'deleted' : ['made', ...MADE.filter(name => differ(line, name)).map(name => `${name} ${value(name, after)}`)].join(', ');
  }
  const changed = SETTINGS.filter(name => differ(line, name)).map(name => `${name}: ${value(name, before)} → ${value(name, after)}`);
  return changed.join(', ') || (line.what === 'rotate' ? 'another secret' : line.what);
}

const words = line => (line.record === 'policy' ? effect(line) : `${target(line).name}: ${effect(line)}`);

// What limits, or no more: not a note, nor another secret. A record that is made does so if it freezes, boosts or lowers a
// subject of a rule.
const isOfLimits = line => line.record === 'policy' || line.what === 'reset' || !line.after || ['state', 'overrides', ...(line.before ? ['plan'] : [])].some(name => differ(line, name));

/** The changes as marks on a chart. */
export function marks() {
  return (shown.lines || []).filter(isOfLimits).map(line => ({ at: line.at, words: words(line) }));
}

// The settings of before, as a patch of those after.
function patch({ before, after }) {
  const all = {};
  SETTINGS.filter(name => differ({ before, after }, name)).forEach(name => {
    all[name] = before[name] ?? null;
  });
  const added = Object.keys(after.labels || {}).filter(name => !(name in (before.labels || {})));
  return added.length ? { ...all, labels: { ...before.labels, ...Object.fromEntries(added.map(name => [name, null])) } } : all;
}

function mayUndo(app, line) {
  const { kind } = target(line);
  return app.may('keys') && ['key', 'tenant'].includes(kind) && line.after && SETTINGS.some(name => differ(line, name)) && (line.before || line.what !== 'create');
}

// A record that was made to boost, lower or freeze a subject or a tenant without one.
async function unmake(app, { kind, name }) {
  const path = `/v1/${kind}s/${encodeURIComponent(name)}`;
  const { tag } = await askWithTag(path);
  if (await remove(app, `the record of ${name}`, path, 'The plan of the policy applies again, and none of the record.', { 'If-Match': tag })) {
    await findChanges();
  }
}

async function undo(app, line) {
  const { kind, name } = target(line);
  if (!line.before) {
    await unmake(app, { kind, name });
    return;
  }
  const isSure = await confirmed({
    title: `Undo the change of ${name}?`,
    content: html`<ul>${SETTINGS.filter(one => differ(line, one)).map(one => html`<li>${one}: ${value(one, line.after)} → <b>${value(one, line.before)}</b></li>`)}</ul>
      <p class="quiet">It is refused if somebody has changed the record since.</p>`,
    action: 'Undo'
  });
  if (isSure) {
    const path = `/v1/${kind}s/${encodeURIComponent(name)}`;
    const { value: now, tag } = await askWithTag(path);
    if (SETTINGS.some(one => differ({ before: line.after, after: now }, one))) {
      throw new Error(`${name} was changed since: undo that first.`);
    }
    await ask(path, { method: 'PATCH', json: patch(line), headers: { 'If-Match': tag } });
    app.say(`${name} is as it was before ${clock(line.at)}.`);
    await findChanges();
  }
}

function link(line) {
  const { kind, name } = target(line);
  const address = { key: withQuery('#/now', { key: name }), tenant: withQuery('#/keys', { tenant: name }), policy: '#/limits' }[kind];
  const text = kind === 'key' ? name : line.record;
  return address ? html`<a href=${address}>${text}</a>` : text;
}

/** The timeline. */
export function drawChanges(app) {
  const matching = shown.lines?.filter(line => matches(app, `${line.who} ${line.record} ${words(line)}`));
  const columns = [
    ['when', line => html`${clock(line.at)} <small>${age(line.at)} ago</small>`, 'number left'],
    ['what', line => html`${link(line)}: ${effect(line)}`, 'long'],
    ['by', line => line.who],
    ['', line => (mayUndo(app, line) ? html`<button type="button" class="plain" @click=${app.doing(() => undo(app, line))}>Undo…</button>` : nothing)]
  ];
  return html`<div class="line tools">${filter(app, 'who, key, tenant, setting')}</div>
    ${table(columns, matching, 'Nothing was changed.', 'changes')}`;
}
