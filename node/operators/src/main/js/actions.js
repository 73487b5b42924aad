// Actions on a key or a tenant. Each shows the present value and the new one, and asks before it changes anything.

import { ask, askWithTag, Problem } from './api.js';
import { fill } from './fill.js';
import { choice, clock, confirmed, html, nothing, number, rate, wait } from './parts.js';

const path = of => (of.key ? `/v1/keys/${encodeURIComponent(of.key)}` : `/v1/tenants/${encodeURIComponent(of.tenant)}`);

const nameOf = of => of.key || `tenant ${of.tenant}`;

/** The record of a key or a tenant, with its version; null if there is none, as for a subject of a rule, or none is known as Redis `isAway`. */
export async function findRecord(of) {
  try {
    const { value: record, tag } = await askWithTag(path(of));
    return { record, tag, isAway: false };
  } catch (error) {
    if ([404, 503].includes(error.status)) {
      return { record: null, tag: '', isAway: error.status === 503 };
    }
    throw error;
  }
}

/**
 * Changes the record of a key or a tenant. If there is none, the node makes one: of a subject of a rule with the plan that
 * it has by its rule.
 *
 * @param of the key or the tenant as it was shown: what was confirmed is done to it, whatever is shown by now
 */
async function change(of, json) {
  try {
    return await ask(path(of), { method: 'PATCH', json, headers: of.record ? { 'If-Match': of.tag } : {} });
  } catch (error) {
    throw error.status === 412 ? new Problem(412, { title: `${nameOf(of)} was changed by somebody else meanwhile; nothing of yours was done.` }) : error;
  }
}

let settled = Promise.resolve();

/** Begins an action on a record when the one before has ended, so that it has the version that the other one left. */
export function inTurn(action) {
  settled = settled.catch(() => {}).then(action);
  return settled;
}

/** The keys of a tenant to which its record does not apply, as a sentence. */
const apart = record => record?.unaffectedKeys ? ` Not for ${record.unaffectedKeys.join(', ')}: the policy lists them.` : '';

function made(of) {
  return of.record ? nothing : html`<p class="quiet">${nameOf(of)} has no record yet: one ${of.key ? `with the plan ${of.explained.plan} ` : ''}is made.</p>`;
}

function forgotten(one) {
  const much = one.kind === 'quota' ? `${number(one.used)} used` : one.kind === 'rate' ? `all free in ${wait(one.emptyInMs)} without a reset` : one.limit ? `callers wait for ${number(one.waiting)} ${one.waiting === 1 ? 'slot' : 'slots'}` : `${number(one.waiting)} open`;
  return html`<li>${one.limit ? html`${one.kind} <b>${one.limit}</b>` : 'tickets'}: ${much}</li>`;
}

/** A function that sends what is chosen for a record; once somebody else has changed that, for the record as it is then. */
export function forRecord(of, send) {
  let now = of;
  return async wish => {
    try {
      return await send(now, wish);
    } catch (error) {
      if (error.status === 412) {
        const found = await findRecord(of);
        now = found.record ? { ...of, ...found } : now;
        error.details.errors = ['The next try is for the record as it is by now.'];
      }
      throw error;
    }
  };
}

/** Asks for settings of a record, and changes those that are chosen otherwise; an empty one is removed. */
export async function edit(app, of, fields) {
  const before = name => String(of.record[name] ?? '');
  await fill(`Change ${nameOf(of)}`, 'Change', fields.map(one => ({ ...one, value: before(one.name), isWhole: true })), forRecord(of, async (now, wish) => {
    const changed = Object.entries(wish).filter(([name, value]) => value !== before(name));
    await change(now, Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : name === 'maxKeys' ? Number(value) : value])));
    app.say(`${nameOf(of)} was changed.`);
  }));
}

/** Deletes something if that is confirmed; resolves to whether it is. */
export async function remove(app, name, address, words = 'It counts no more, on all nodes.', headers = {}) {
  const isSure = await confirmed({ title: `Delete ${name}?`, content: html`<p>${words}</p>`, action: 'Delete', danger: true });
  if (isSure) {
    await ask(address, { method: 'DELETE', headers });
    app.say(`${name} was deleted.`);
  }
  return isSure;
}

/** The same with a record. */
export const removeRecord = (app, of, words) => remove(app, nameOf(of), path(of), words, { 'If-Match': of.tag });

/** Shows what a reset forgets, then resets. */
async function reset(app, of) {
  const name = nameOf(of);
  const json = of.key ? { key: of.key, queue: true } : { tenant: of.tenant };
  const preview = await ask('/v1/reset?dryRun=true', { method: 'POST', json });
  const used = preview.reset.filter(one => one.waiting !== 0);
  const isSure = await confirmed({
    title: `Reset ${name}?`,
    content: used.length
      ? html`<p>This is forgotten, and may be used again at once:</p><ul>${used.map(forgotten)}</ul>`
      : html`<p>Nothing of its own is used: a reset changes nothing.</p>`,
    action: 'Reset',
    danger: true
  });
  if (isSure) {
    await ask('/v1/reset', { method: 'POST', json });
    app.say(`${name} was reset.`);
  }
}

/** Freezes a key, or activates it again. */
async function freeze(app, of) {
  const from = of.record?.state || 'active';
  const isFrozen = from === 'frozen';
  const to = isFrozen ? 'active' : 'frozen';
  const action = isFrozen ? 'Activate' : 'Freeze';
  const isSure = await confirmed({
    title: `${action} ${nameOf(of)}?`,
    content: html`<p>state: <b>${from} → ${to}</b>.
      ${isFrozen ? 'Its limits apply again.' : 'All of its requests are refused until it is activated again.'}${apart(of.record)}</p>${made(of)}`,
    action,
    danger: !isFrozen
  });
  if (isSure) {
    const record = await change(of, { state: to });
    app.say(`${nameOf(of)}: ${from} → ${to}.${apart(record)}`);
  }
}

const LASTS = [['+15m', '15 minutes', 15], ['+1h', 'an hour', 60], ['+8h', '8 hours', 480], ['+1d', 'a day', 1440], ['+7d', 'a week', 10080]];

/**
 * The limits of the key or tenant itself with their sizes now: the one that is looked at, then the fullest. The record of a
 * key names them otherwise than an explanation. The size of a bucket is its rate, that of a quota or permits is a number.
 */
function ownLimits({ key, record, explained, limit }) {
  const fill = name => (name === limit ? Infinity : explained.limits.find(one => one.limit === name)?.usedPercent || 0);
  const isOfRecord = Boolean(key && record);
  return (isOfRecord ? record.limits : explained.limits)
    .filter(one => !one.audit && one.scope === (key ? 'key' : 'tenant'))
    .map(one => ({ ...one, name: isOfRecord ? one.name : one.limit, isRate: one.opsPerSec !== undefined, size: one.opsPerSec ?? (isOfRecord ? one.limit : one.capacity) }))
    .sort((one, other) => fill(other.name) - fill(one.name));
}

const inWords = (limit, size) => (limit.isRate ? rate(size) : number(size));

const SIDES = {
  boost: { title: 'Boost', factors: [2, 5, 10], least: now => now, most: () => Infinity, wrong: 'A boost is above the present limit; Lower… is for less.' },
  lower: { title: 'Lower', factors: [0.5, 0.2, 0.1], least: () => 0, most: now => now, wrong: 'Lower is below the present limit; Boost… is for more.' }
};

const isRight = (side, limit, size) => size > side.least(limit.size) && size < side.most(limit.size);

/** The form of another size of a limit; it writes what is chosen into `wish`. */
function sizeForm(side, limits, wish) {
  const now = () => limits.find(one => one.name === wish.name);
  const sentence = () => {
    const [, , minutes] = LASTS.find(([value]) => value === wish.until);
    return `${wish.name}: ${inWords(now(), now().size)} → ${inWords(now(), wish.size)}, from now until ${clock(Date.now() + minutes * 60_000)}`;
  };
  const source = () =>
    now().until || now().from === 'override' ? `The present limit is an override${now().until ? ` until ${clock(now().until)}` : ''}, which this replaces.` : `The present limit is by ${now().from}.`;
  const show = form => {
    form.elements.size.setCustomValidity(isRight(side, now(), wish.size) ? '' : side.wrong);
    form.elements.size.step = now().isRate ? 'any' : '1';
    form.querySelector('.unit').textContent = now().isRate ? 'operations per second' : 'operations';
    form.querySelector('.present').textContent = sentence();
    form.querySelector('.source').textContent = source();
  };
  const set = (form, changed) => {
    Object.assign(wish, changed);
    form.elements.size.value = String(wish.size);
    show(form);
  };
  return html`<p class="present">${sentence()}</p><p class="source quiet">${source()}</p>
    <p class="grid">
      ${choice('which limit', limits.map(one => [one.name]), wish.name, event => {
        wish.name = event.target.value;
        set(event.target.form, { size: proposed(now(), side.factors[0]) });
      })}
      <label><span class="unit">${now().isRate ? 'operations per second' : 'operations'}</span><input name="size" type="number" min="0" step=${now().isRate ? 'any' : '1'} required .value=${String(wish.size)} @input=${event => {
        wish.size = Number(event.target.value);
        show(event.target.form);
      }}></label>
      ${choice('for', LASTS, wish.until, event => set(event.target.form, { until: event.target.value }))}
    </p>
    <p class="buttons">${side.factors.map(factor => html`<button type="button" @click=${event => set(event.target.form, { size: proposed(now(), factor) })}>× ${factor}</button>`)}</p>`;
}

function proposed(limit, factor) {
  const size = Number((limit.size * factor).toPrecision(3));
  return limit.isRate ? size : Math.floor(size);
}

// A policy has whole numbers per unit.
function whole(perSec) {
  const [seconds, unit] = [[1, 's'], [3600, 'h']].find(([one]) => !((perSec * one).toFixed(3) % 1)) || [86400, 'd'];
  return `${Math.round(perSec * seconds)}/${unit}`;
}

/** Another size of one limit until a moment, higher or lower by `name`; the other overrides stay. */
async function changeSize(app, of, name) {
  const side = SIDES[name];
  const limits = ownLimits(of).filter(one => isRight(side, one, proposed(one, side.factors[0])));
  if (!limits.length) {
    app.say(of.record?.state === 'active' || !of.record ? `${nameOf(of)} has no limit of its own for which that is possible.` : `${nameOf(of)} is ${of.record.state}: its limits do not count.`);
    return;
  }
  const wish = { name: limits[0].name, size: proposed(limits[0], side.factors[0]), until: '+1h' };
  const isSure = await confirmed({
    title: `${side.title} ${nameOf(of)}`,
    content: html`${sizeForm(side, limits, wish)}${made(of)}`,
    action: side.title
  });
  if (isSure) {
    const limit = limits.find(one => one.name === wish.name);
    const field = limit.isRate ? 'bucket' : 'limits';
    const others = (of.record?.overrides || []).filter(one => one[field] !== wish.name || one.operation);
    const record = await change(of, { overrides: [...others, { [field]: wish.name, ...(limit.isRate ? { rate: whole(wish.size) } : { limit: wish.size }), until: wish.until }] });
    app.say(`${wish.name} of ${nameOf(of)}: ${inWords(limit, limit.size)} → ${inWords(limit, wish.size)}.${apart(record)}`);
  }
}

/**
 * The buttons of a key or a tenant, each with what it does in the words of the command line.
 *
 * @param may whether it can `reset`, `size` and `freeze`, and the `likely` one of them
 * @param acting makes a listener from an action, which gets the key or the tenant as it is shown then
 * @param more other buttons
 */
export function actions(app, { record }, may, acting, more = nothing) {
  const button = (name, [title, effect], key, action, kind = '') => html`<button type="button" data-key=${key} class="${kind} ${may.likely === name ? 'primary' : ''}"
    ?disabled=${!may[name]} @click=${acting(of => action(app, of))}>${title}… <small>${effect}</small></button>`;
  return html`<div class="buttons actions">
    ${button('reset', ['Reset', 'empties all its limits'], 'r', reset)}
    ${button('size', ['Boost', 'more for a while'], 'b', (...all) => changeSize(...all, 'boost'))}
    ${button('size', ['Lower', 'less for a while'], nothing, (...all) => changeSize(...all, 'lower'))}
    ${more}
    ${button('freeze', record?.state === 'frozen' ? ['Activate', 'serves its requests again'] : ['Freeze', 'refuses all requests'], 'f', freeze, 'apart')}
  </div>`;
}

/** Gives a text to the clipboard, or, on a page without a secure origin, shows it to be copied. */
export async function copy(app, text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    app.say('Copied.');
  } else {
    await confirmed({ title: 'Copy', content: html`<textarea rows="6" readonly .value=${text}></textarea>`, action: 'Close' });
  }
}
