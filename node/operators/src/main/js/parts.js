// Parts that several views share: numbers, times, bars, tables, panels, dialogs.

import { withQuery } from './api.js';
import { html, nothing, render, svg } from './lit-html.js';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

const TIED = '\u00a0'; // a number stays beside its unit

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_MILLIS = 24 * HOUR;

/** The zone of all times on the page. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A number for people. */
export function number(value) {
  const size = Math.abs(value);
  return (size < 1 ? SMALL : size < 100 ? NUMBER : WHOLE).format(value);
}

/** A count that is known by its bounds. */
export function count(row) {
  return row.atLeast === row.atMost ? number(row.atLeast) : `${number(row.atLeast)}–${number(row.atMost)}`;
}

/** A time of day of 24 hours, with the date if it is another day. */
export function clock(text) {
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? CLOCK.format(at) : `${DAY.format(at)}, ${CLOCK.format(at)}`;
}

/** A duration in milliseconds, in one unit or two. */
export function wait(millis) {
  if (millis < SECOND) {
    return `${Math.ceil(millis)}${TIED}ms`;
  }
  if (millis < 2 * MINUTE) {
    return `${number(millis / SECOND)}${TIED}s`;
  }
  const [large, small, words] = millis < 2 * DAY_MILLIS ? [HOUR, MINUTE, ['h', 'min']] : [DAY_MILLIS, HOUR, ['days', 'h']];
  const whole = Math.floor(millis / large);
  const rest = Math.floor((millis % large) / small);
  return [whole ? `${whole}${TIED}${words[0]}` : '', rest ? `${rest}${TIED}${words[1]}` : ''].filter(Boolean).join(TIED);
}

const PERIODS = [[28 * DAY_MILLIS, 31 * DAY_MILLIS, 'a month'], [7 * DAY_MILLIS, 7 * DAY_MILLIS, 'a week'], [DAY_MILLIS, DAY_MILLIS, 'a day'], [HOUR, HOUR, 'an hour'], [MINUTE, MINUTE, 'a minute']];

/** A period as people name it. */
export function period(millis) {
  const named = PERIODS.find(([least, most]) => millis >= least && millis <= most);
  return named ? named[2] : `each ${wait(millis)}`;
}

/** A rate as people name it. */
export function rate(opsPerSec) {
  const [factor, unit] = opsPerSec >= 1 ? [1, 's'] : opsPerSec * 60 >= 1 ? [60, 'min'] : [3600, 'h'];
  return `${number(opsPerSec * factor)} per ${unit}`;
}

function moment(text, words) {
  return html`<time datetime=${text} title=${`${clock(text)} ${zone}`}>${words}</time>`;
}

/** A time of day. */
export function time(text) {
  return text ? moment(text, clock(text)) : html`<span class="quiet">never</span>`;
}

/** How long before `at`, or now, something was; below ten minutes to the second, so that rows can be compared. */
export function age(text, at = new Date().toISOString()) {
  const seconds = Math.max(0, Math.floor((Date.parse(at) - Date.parse(text)) / SECOND));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const small = minutes < 10 ? `${minutes ? `${minutes} min ` : ''}${seconds % 60} s` : `${minutes} min`;
  return moment(text, hours < 1 ? small : hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`);
}

/** How long until something, with its time on hover. */
export function ahead(text) {
  const millis = Date.parse(text) - Date.now();
  return millis > 0 ? moment(text, `in ${wait(millis)}`) : 'now';
}

/** A bar of a part of 100 percent; one of a limit warns where it is nearly full. */
export function bar(percent, label, isLimit = false) {
  const width = `${Math.max(0, Math.min(100, percent))}%`;
  const level = isLimit && percent >= 100 ? 'full' : isLimit && percent >= 80 ? 'near' : 'room';
  return html`<svg class="bar ${level}" role="img" aria-label=${label}
    ><rect class="rest" width="100%" height="100%"></rect
    ><rect class="fill" width=${width} height="100%"></rect></svg>`;
}

/** A sentence in which commands look like commands: each ends before a full stop, a comma or a semicolon. */
export function commands(text) {
  return text.split(/((?:weir|redis-cli) .+?)(?=[.,;](?:\s|$))/).map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));
}

/** A bar of parts; each is a size and a class. */
export function stack(parts, label) {
  const total = parts.reduce((sum, [size]) => sum + size, 0) || 1;
  let before = 0;
  return html`<svg class="bar" role="img" aria-label=${label}><rect class="rest" width="100%" height="100%"></rect>${parts.map(([size, kind]) => {
    const x = (100 * before) / total;
    before += size;
    return svg`<rect class=${kind} x=${`${x}%`} width=${`${(100 * size) / total}%`} height="100%"></rect>`;
  })}</svg>`;
}

/** A panel with a heading. */
export function panel(title, content, aside = nothing) {
  return html`<section class="panel"><header><h2>${title}</h2>${aside}</header>${content}</section>`;
}

/** A panel with links to others in its place; `parts` are a name, an address and a title each. */
export function tabbed(label, parts, current, content, aside = nothing) {
  const links = parts.map(([name, address, title]) => html`<a href=${address} aria-current=${name === current ? 'true' : nothing}>${title}</a>`);
  return html`<section class="panel tabbed"><header><nav class="tabs" aria-label=${label}>${links}</nav>${aside}</header>${content}</section>`;
}

/** The placeholder for an answer that has not arrived. */
export function loading(rows = 3) {
  return html`<div class="loading" role="status" aria-busy="true" aria-label="asking">${Array.from({ length: rows }, () => html`<span></span>`)}</div>`;
}

/**
 * A table; `columns` are a heading, a function from a row to a cell, and maybe a class. Rows that are not known yet are
 * shown as such.
 *
 * @param rows null if they are not known yet
 * @param isChosen says which row is marked
 */
export function table(columns, rows, empty, caption = nothing, isChosen = () => false) {
  if (!rows) {
    return loading();
  }
  if (!rows.length) {
    return html`<p class="empty">${empty}</p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption === nothing ? 'table' : caption}>
    <table>
      <thead><tr>${columns.map(([heading, , kind]) => html`<th scope="col" class=${kind || ''}>${heading || html`<span class="hidden">actions</span>`}</th>`)}</tr></thead>
      <tbody>${rows.map(row => html`<tr class=${isChosen(row) ? 'chosen' : ''}>${columns.map(([, cell, kind]) => html`<td class=${kind || ''}>${cell(row)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

/** Names and values. */
export function facts(pairs) {
  return html`<dl class="fields">${pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A field to choose from; `values` are a value and a title each, or a value alone. */
export function choice(label, values, chosen, set, name = nothing) {
  return html`<label>${label}<select name=${name} @change=${set}>${values.map(
    ([value, title = value]) => html`<option value=${value} ?selected=${value === chosen}>${title}</option>`
  )}</select></label>`;
}

/** A field for a text that rows have; the address keeps it, so that a link shows the same. */
export function filter(app, hint) {
  return html`<label>filter<input type="search" .value=${app.parameters.find || ''} maxlength="128" placeholder=${hint} @input=${event => app.amend({ find: event.target.value })}></label>`;
}

/** Whether a text of a row has that of the filter. */
export const matches = (app, text) => text.toLowerCase().includes((app.parameters.find || '').toLowerCase());

/** The plan of a key, and who gives it if that is not the key itself. */
export const planOf = key => (key.plan || !key.planInForce ? key.plan : html`${key.planInForce} <small>(${key.planFrom})</small>`) || 'none';

/** A link to all about a key; `about` has the operation and the limit from which it is opened. */
export function keyLink(key, tenant, about = {}) {
  return html`<a class="row" href=${withQuery('#/now', { key, ...about })}>${tenant ? html`<span class="quiet">${tenant}/<wbr></span>` : nothing}${key}</a>`;
}

const STEADY_MILLIS = 10_000;

/** An order of rows that changes every ten seconds at most, and not while it is held; new rows come last until then. Mutable. */
export function steady(name) {
  let kept = [];
  let since = -Infinity;
  return (rows, isHeld) => {
    if ((!isHeld && performance.now() - since > STEADY_MILLIS) || !kept.length) {
      since = performance.now();
      kept = rows.map(name);
    }
    const place = new Map(kept.map((one, index) => [one, index]));
    const of = row => place.get(name(row)) ?? kept.length;
    return [...rows].sort((one, other) => of(one) - of(other));
  };
}

/** Which nodes did not answer, if any. */
export function silent(found) {
  const missing = found.nodesAsked - found.nodesAnswered;
  const words = found.redis === 'away' ? 'Redis is away: only this node was asked' : missing > 0 ? `${missing} of ${found.nodesAsked} nodes did not answer` : '';
  return words ? html`<b class="bad">${words}</b>` : nothing;
}

/** A unified difference, line by line. */
export function diff(text) {
  if (!text) {
    return html`<p class="empty">No difference.</p>`;
  }
  const kind = line => ({ '+': 'more', '-': 'less', '@': 'place' })[line[0]] || '';
  return html`<pre class="diff" tabindex="0" aria-label="difference">${text
    .replace(/\n$/, '')
    .split('\n')
    .map(line => html`<span class=${kind(line)}>${line}
</span>`)}</pre>`;
}

/** Whatever went wrong, with all mistakes. */
export function problem(error) {
  if (!error) {
    return nothing;
  }
  const mistakes = error.mistakes || [];
  return html`<div class="problem" role="alert"><strong>${error.message}</strong>
    ${mistakes.length ? html`<ul>${mistakes.map(one => html`<li>${one}</li>`)}</ul>` : nothing}</div>`;
}

/** Gives a text to the operator as a file. */
export function download(name, type, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SECOND);
}

/**
 * Shows a dialog. Resolves when it is closed, to what `end` was called with, or undefined.
 *
 * @param content a function from `end` to what is shown
 */
export function dialog(title, content, kind = '') {
  return new Promise(resolve => {
    const place = document.createElement('div');
    // A dialog before it may be closed and not have heard so: it is told later, and has no part in this one.
    document.getElementById('dialogs').replaceChildren(place);
    let answer;
    const end = value => {
      answer = value;
      place.querySelector('dialog').close();
    };
    render(
      html`<dialog class=${kind} aria-labelledby="dialog-title" @close=${() => {
        place.remove();
        resolve(answer);
      }}><h2 id="dialog-title">${title}</h2>${content(end)}</dialog>`,
      place
    );
    place.querySelector('dialog').showModal();
  });
}

/**
 * Asks before something is done. Resolves to true if it was confirmed.
 *
 * @param content shown above the buttons
 */
export async function confirmed({ title, content, action, danger = false }) {
  const form = end => html`<form @submit=${event => {
    event.preventDefault();
    end(true);
  }}>
    ${content}
    <footer>
      <button type="button" @click=${() => end(false)}>Cancel</button>
      <button class=${danger ? 'danger' : 'primary'}>${action}</button>
    </footer>
  </form>`;
  return Boolean(await dialog(title, form));
}

export { html, nothing, render, svg };
