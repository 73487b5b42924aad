// One key: what would be decided now and why, its denials, and what can be done.

import { ask, askWithTag, withQuery } from './api.js';
import { bar, confirmed, html, nothing, number, panel, table, time, wait } from './parts.js';
import { denialTable, silent } from './denials.js';

const WORDS = {
  allowed: ['good', 'would pass now'],
  denied: ['warn', 'would be denied'],
  never_allowed: ['bad', 'can never pass'],
  unavailable: ['bad', 'nothing is decided: Redis is away']
};

const NONE = { denials: [], nodesAsked: 0, nodesAnswered: 0 };

const shown = { key: '', operation: '', cost: '', limit: '', explained: null, record: null, tag: '', found: NONE };

/** Asks what would be decided; takes nothing. */
async function explain() {
  const { key, operation, cost } = shown;
  const explained = await ask(withQuery('/v1/explain', { key, operation, cost }));
  const found = await ask(withQuery('/v1/denials', { key, tenant: explained.tenant, limit: 20 }));
  if (key === shown.key && operation === shown.operation && cost === shown.cost) {
    Object.assign(shown, { explained, operation: explained.operation, found });
  }
}

async function record() {
  const { key } = shown;
  let found = { record: null, tag: '' }; // a subject of the policy or of a rule
  try {
    const { text, tag } = await askWithTag(`/v1/keys/${encodeURIComponent(key)}`);
    found = { record: JSON.parse(text), tag };
  } catch (error) {
    if (error.status !== 404) {
      throw error;
    }
  }
  if (key === shown.key) {
    Object.assign(shown, found);
  }
}

function form(app) {
  const submit = event => {
    event.preventDefault();
    const fields = event.target.elements;
    const query = { key: fields.key.value.trim(), operation: fields.operation?.value || '', cost: fields.cost.value };
    const hash = withQuery('#/subject', query);
    if (hash === location.hash) {
      shown.explained = null;
      this.load(app);
    } else {
      app.go(hash);
    }
  };
  const operations = shown.explained?.operations || [];
  return html`<form class="line" role="search" @submit=${submit}>
    <label>key or subject<input name="key" .value=${shown.key} required maxlength="128" spellcheck="false" autocomplete="off"></label>
    <label>operation<select name="operation" ?disabled=${!operations.length} @change=${event => event.target.form.requestSubmit()}>${
      operations.map(name => html`<option ?selected=${name === shown.operation}>${name}</option>`)
    }</select></label>
    <label>cost<input name="cost" type="number" min="1" .value=${shown.cost} placeholder="1"></label>
    <button class="primary">Explain</button>
  </form>`;
}

function decision(of) {
  const [kind, words] = WORDS[of.decision];
  return html`<div class=${`verdict ${kind}`}>
    <p><b>${of.operation}</b> of ${of.cost} by <b>${of.tenant}/${of.key}</b>, plan <b>${of.plan}</b>,</p>
    <p class="big">${words}${of.retryAfterMs ? html` for ${of.estimate ? 'at least ' : ''}${wait(of.retryAfterMs)}` : nothing}</p>
    ${of.full?.length ? html`<p>no room in ${of.full.map((name, index) => html`${index ? ', ' : ''}<b>${name}</b>`)}</p>` : nothing}
    ${of.reason ? html`<p><code>${of.reason}</code></p>` : nothing}
    ${of.degraded ? html`<p>This node decides by itself: Redis is away.</p>` : nothing}
  </div>`;
}

/** The limit that denied the key, from which its view was opened, is the first. */
function limits(of) {
  const denied = limit => limit.limit === shown.limit;
  const all = [...of.limits].sort((one, other) => denied(other) - denied(one));
  const used = limit => `${number(limit.used)} of ${number(limit.capacity)}`;
  return table(
    [
      ['limit', limit => html`<b>${limit.limit}</b> ${denied(limit) ? html`<span class="tag warn">denied it</span>` : nothing} <small>${limit.kind} of the ${limit.scope}${limit.leased ? ', leased' : ''}</small>`],
      ['used', limit => bar(limit.full ? 100 : limit.usedPercent, `${used(limit)} used, ${limit.usedPercent} %`, true), 'wide'],
      ['', limit => used(limit), 'number'],
      ['drains', limit => (limit.opsPerSec ? `${number(limit.opsPerSec)}/s` : limit.periodMs ? `every ${wait(limit.periodMs)}` : ''), 'number'],
      ['empty or reset', limit => (limit.emptyAt || limit.resetAt ? time(limit.emptyAt || limit.resetAt) : 'now')],
      ['from', limit => (limit.from === 'plan' ? 'plan' : html`<b class="tag">override</b>`)]
    ],
    all,
    of.decision === 'allowed' ? 'Nothing limits it.' : 'No levels are known.',
    'limits'
  );
}

function holders(of) {
  const all = of.limits.flatMap(limit => (limit.holders || []).map(holder => ({ ...holder, limit: limit.limit })));
  return all.length
    ? panel('Permits held', table([['limit', one => one.limit], ['by', one => html`<code>${one.id}</code>`], ['until at most', one => time(one.until)]], all, '', 'permits'))
    : nothing;
}

const DUE = {
  due: 'is due to callers who were told a time',
  turn: 'the next newcomer may come at',
  own_turn: 'this key may come again at',
  larger: 'others leave room for the largest cost without a place'
};

/** A line of the queue in words: `STATE BUCKET@RATE.due UNITS (words)`. */
function waiting(line) {
  const [, state, bucket, what, words] = line.match(/^(\S+) ([^@\s]+)\S*\.(due|turn|own_turn|larger) \d+ \((.*)\)$/) || [];
  return bucket ? { bucket, what: DUE[what], words, state } : { bucket: '', what: line, words: '', state: '' };
}

/** Operations that are due at a time to callers without a ticket: `STATE due_at_MICROS OPERATIONS (words)`. */
function slot(line) {
  const [, micros, operations] = line.match(/^\S+ due_at_(\d+) (\d+) /) || [];
  return micros ? { at: new Date(Number(micros) / 1000).toISOString(), operations: Number(operations) } : null;
}

function slots(of) {
  const all = of.queue.map(slot).filter(Boolean);
  const most = Math.max(1, ...all.map(one => one.operations));
  const columns = [
    ['at', one => time(one.at)],
    ['', one => bar((100 * one.operations) / most, `${one.operations} operations`), 'wide'],
    ['operations', one => number(one.operations), 'number']
  ];
  return all.length ? panel('Times told to callers without a ticket', table(columns, all, '', 'slots')) : nothing;
}

function queue(of) {
  const lines = of.queue.filter(line => !slot(line));
  const columns = [
    ['limit', one => html`<b>${one.bucket}</b> <small title=${one.state}>${one.state.endsWith(':tenant') ? 'of the tenant' : nothing}</small>`],
    ['', one => one.what],
    ['', one => one.words]
  ];
  return lines.length ? panel('Its queue', table(columns, lines.map(waiting), '', 'queue')) : nothing;
}

function state(of) {
  const all = Object.entries(of.states);
  return all.length
    ? html`<details><summary>State in Redis</summary>${all.map(
        ([key, fields]) => html`<h3><code>${key}</code></h3><dl class="fields">${Object.entries(fields).map(
          ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`
        )}</dl>`
      )}</details>`
    : nothing;
}

/** What a reset would forget, then the reset. */
async function reset(app) {
  const { key } = shown;
  const json = { key, queue: true };
  const preview = await ask('/v1/reset?dryRun=true', { method: 'POST', json });
  const words = one =>
    html`<li>${one.kind} ${one.limit ? html`<b>${one.limit}</b>` : nothing}: ${
      one.emptyInMs !== undefined ? `empty in ${wait(one.emptyInMs)}` : one.used !== undefined ? `${one.used} used` : `${one.waiting} waiting`
    }</li>`;
  const isSure = await confirmed({
    title: `Reset ${key}?`,
    content: preview.reset.length
      ? html`<p>This is forgotten; the key may use it again at once.</p><ul>${preview.reset.map(words)}</ul>`
      : html`<p>The key has used nothing of its own.</p>`,
    action: 'Reset',
    danger: true
  });
  if (isSure) {
    await ask('/v1/reset', { method: 'POST', json });
    app.say(`${key} was reset.`);
    await explain();
  }
}

// A confirmed action changes the record that the dialog showed, even if another one is shown by then.
async function patch(app, { key, tag }, json, said) {
  await ask(`/v1/keys/${encodeURIComponent(key)}`, { method: 'PATCH', json, headers: { 'If-Match': tag || '*' } });
  app.say(said);
  await record();
  await explain();
}

async function freeze(app) {
  const of = { ...shown };
  const isFrozen = of.record.state === 'frozen';
  const isSure = await confirmed({
    title: isFrozen ? `Let ${of.key} ask again?` : `Freeze ${of.key}?`,
    content: html`<p>${isFrozen ? 'Its limits count again.' : 'All of its requests are refused until it is thawed.'}</p>`,
    action: isFrozen ? 'Thaw' : 'Freeze',
    danger: !isFrozen
  });
  if (isSure) {
    await patch(app, of, { state: isFrozen ? 'active' : 'frozen' }, `${of.key} is ${isFrozen ? 'active' : 'frozen'}.`);
  }
}

const SPANS = [['+15m', '15 minutes'], ['+1h', 'an hour'], ['+8h', '8 hours'], ['+1d', 'a day'], ['+7d', 'a week']];

/** The buckets of the key itself, the fullest first: that is the one that denies. */
function ownRates(of) {
  const full = name => of.explained.limits.find(limit => limit.limit === name)?.usedPercent || 0;
  return of.record.limits
    .filter(limit => limit.opsPerSec !== undefined && limit.scope === 'key')
    .sort((one, other) => full(other.name) - full(one.name));
}

function boostForm(rates, wish) {
  const chosen = () => rates.find(rate => rate.name === wish.bucket);
  const present = () => {
    const rate = chosen();
    const by = rate.until ? `, boosted until ${new Date(rate.until).toLocaleString()}, which this replaces` : `, by ${rate.from}`;
    return `now ${number(rate.opsPerSec)}/s${by}`;
  };
  // A boost never lowers a limit.
  const least = () => Math.floor(chosen().opsPerSec) + 1;
  const choose = event => {
    const { form } = event.target;
    wish.bucket = event.target.value;
    wish.opsPerSec = 2 * Math.ceil(chosen().opsPerSec);
    Object.assign(form.elements.opsPerSec, { min: String(least()), value: String(wish.opsPerSec) });
    form.querySelector('.present').textContent = present();
  };
  return html`<p class="grid">
      <label>bucket<select @change=${choose}>${rates.map(one => html`<option>${one.name}</option>`)}</select></label>
      <label>operations a second<input name="opsPerSec" type="number" min=${String(least())} step="1" required .value=${String(wish.opsPerSec)} @input=${event => { wish.opsPerSec = Number(event.target.value); }}></label>
      <label>for<select @change=${event => { wish.until = event.target.value; }}>${SPANS.map(
        ([value, name]) => html`<option value=${value} ?selected=${value === wish.until}>${name}</option>`
      )}</select></label></p>
    <p class="present">${present()}</p>`;
}

/** A higher rate of one bucket, with an end; the other overrides stay. */
async function boost(app) {
  const of = { ...shown };
  const rates = ownRates(of);
  const wish = { bucket: rates[0]?.name, opsPerSec: 2 * Math.ceil(rates[0]?.opsPerSec || 1), until: '+1h' };
  const isSure = await confirmed({
    title: `Boost ${of.key}`,
    content: rates.length ? boostForm(rates, wish) : html`<p>No bucket of the key itself can be boosted.</p>`,
    action: 'Boost'
  });
  if (isSure && rates.length) {
    const others = (of.record.overrides || []).filter(one => one.bucket !== wish.bucket || one.operation);
    await patch(app, of, { overrides: [...others, wish] }, `${wish.bucket} of ${of.key} is boosted to ${number(wish.opsPerSec)}/s.`);
  }
}

function buttons(app) {
  const isRecord = Boolean(shown.record);
  const why = isRecord ? nothing : 'only for keys with a record of their own';
  return html`<div class="buttons">
    <button type="button" ?disabled=${!app.may('keys') || app.session.tenant} @click=${app.doing(reset)}>Reset…</button>
    <button type="button" title=${why} ?disabled=${!app.may('keys') || !isRecord} @click=${app.doing(boost)}>Boost…</button>
    <button type="button" title=${why} ?disabled=${!app.may('keys') || !isRecord} @click=${app.doing(freeze)}>${shown.record?.state === 'frozen' ? 'Thaw…' : 'Freeze…'}</button>
  </div>`;
}

function effective() {
  const of = shown.record;
  if (!of) {
    return panel('Where it comes from', html`<p class="quiet">A subject of the policy or of a rule: it has no record of its own.</p>`);
  }
  const facts = [
    ['state', of.state],
    ['plan in force', of.planInForce || of.plan],
    ['expires', of.expires ? time(of.expires) : 'never'],
    ['labels', Object.entries(of.labels || {}).map(([name, value]) => `${name}: ${value}`).join(', ') || 'none'],
    ['note', of.note || 'none'],
    ['made', html`${time(of.created.at)} by ${of.created.by}`],
    ['changed', html`${time(of.changed.at)} by ${of.changed.by}`]
  ];
  return panel(
    'Where it comes from',
    html`<dl class="fields">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
      ${table(
        [
          ['limit', limit => html`<b>${limit.name}</b> <small>of the ${limit.scope}</small>`],
          ['size', limit => (limit.opsPerSec !== undefined ? `${number(limit.opsPerSec)}/s` : number(limit.limit)), 'number'],
          ['from', limit => html`${limit.from}${limit.until ? html` until ${time(limit.until)}` : nothing}`]
        ],
        of.limits,
        'No limits.',
        'effective limits'
      )}
      ${of.problems?.length ? html`<div class="problem"><ul>${of.problems.map(one => html`<li>${one.message || one}</li>`)}</ul></div>` : nothing}`
  );
}

export default {
  title: 'Subject',
  isOfTenant: true,

  async load(app) {
    const { key = '', operation = '', cost = '', limit = '' } = app.parameters;
    const isOther = key !== shown.key;
    Object.assign(shown, { key, operation, cost, limit, ...(isOther ? { explained: null, record: null, found: NONE } : {}) });
    if (key) {
      await explain();
      await record();
    }
  },

  // What is shown stays true: it is asked again with each event.
  heard(app) {
    if (shown.explained) {
      app.refresh(explain);
    }
  },

  draw(app) {
    const of = shown.explained;
    return html`${panel('Explain', form.call(this, app))}
      ${of
        ? html`<div class="two">
            ${panel('Now', html`${decision(of)}${buttons(app)}`)}
            ${effective()}
          </div>
          ${panel('Limits', limits(of))}
          ${queue(of)} ${slots(of)} ${holders(of)}
          ${panel('Its last denials', denialTable(shown.found.denials, false), silent(shown.found))}
          ${panel('In words', html`<ul class="facts">${of.words.map(line => html`<li>${line}</li>`)}</ul>${state(of)}`)}`
        : html`<p class="empty">${shown.key && !app.failure ? 'Asking…' : 'Whose limits? The id of a key, or the name of a subject.'}</p>`}`;
  }
};
