// What several views show: numbers, times, bars, tables, dialogs.

import { withQuery } from './api.js';
import { html, nothing, render } from '/page/lib/lit-html.js';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** A number for people. */
export function number(value) {
  const size = Math.abs(value);
  return (size < 1 ? SMALL : size < 100 ? NUMBER : WHOLE).format(value);
}

/** A time of day, with the date if it is another day. */
export function time(text) {
  if (!text) {
    return html`<span class="quiet">never</span>`;
  }
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  const shown = isToday ? at.toLocaleTimeString() : at.toLocaleString();
  return html`<time datetime=${text} title=${text}>${shown}</time>`;
}

/** A wait in milliseconds. */
export function wait(millis) {
  if (millis < 1000) {
    return `${Math.round(millis)} ms`;
  }
  const seconds = millis / 1000;
  if (seconds < 120) {
    return `${number(seconds)} s`;
  }
  const minutes = seconds / 60;
  return minutes < 120 ? `${number(minutes)} min` : `${number(minutes / 60)} h`;
}

/** A bar of a part of 100 percent; one of a limit warns where it is nearly full. */
export function bar(percent, label, isLimit = false) {
  const width = `${Math.max(0, Math.min(100, percent))}%`;
  const level = isLimit && percent >= 100 ? 'full' : isLimit && percent >= 80 ? 'near' : 'room';
  return html`<svg class="bar ${level}" role="img" aria-label=${label}
    ><rect class="rest" width="100%" height="100%"></rect
    ><rect class="fill" width=${width} height="100%"></rect></svg>`;
}

/** A panel with a heading. */
export function panel(title, content, aside = nothing) {
  return html`<section class="panel"><header><h2>${title}</h2>${aside}</header>${content}</section>`;
}

/** A table; `columns` are pairs of a heading and a function from a row to a cell. */
export function table(columns, rows, empty, caption = nothing) {
  if (!rows.length) {
    return html`<p class="empty">${empty}</p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption === nothing ? 'table' : caption}>
    <table>
      <thead><tr>${columns.map(([heading, , kind]) => html`<th scope="col" class=${kind || ''}>${heading}</th>`)}</tr></thead>
      <tbody>${rows.map(row => html`<tr>${columns.map(([, cell, kind]) => html`<td class=${kind || ''}>${cell(row)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

/** A link to the view of a key; `about` has the operation and the limit that it begins with. */
export function keyLink(key, tenant, about = {}) {
  return html`<a href=${withQuery('#/subject', { key, ...about })}>${tenant ? `${tenant}/${key}` : key}</a>`;
}

/** How long before `at` something was; the time of it is its title. */
export function age(text, at) {
  const seconds = Math.max(0, Math.floor((Date.parse(at) - Date.parse(text)) / 1000));
  const minutes = Math.floor(seconds / 60);
  const words = seconds < 60 ? `${seconds} s` : minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return html`<time datetime=${text} title=${new Date(text).toLocaleString()}>${words}</time>`;
}

/** Counts as a small chart, as high as the largest one. */
export function spark(counts, label) {
  const most = Math.max(1, ...counts);
  const area = counts.map((count, index) => `${index},${most - count} ${index + 1},${most - count}`).join(' ');
  return html`<svg class="spark" role="img" aria-label=${label} viewBox=${`0 0 ${counts.length} ${most}`} preserveAspectRatio="none"
    ><polygon points=${`0,${most} ${area} ${counts.length},${most}`}></polygon></svg>`;
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

/**
 * Asks before something is done. Resolves to true if it was confirmed.
 *
 * @param content shown above the buttons
 */
export function confirmed({ title, content, action, danger = false }) {
  return new Promise(resolve => {
    const place = document.getElementById('dialogs');
    let answer = false;
    const end = value => {
      answer = value;
      place.querySelector('dialog').close();
    };
    render(
      html`<dialog aria-labelledby="dialog-title" @close=${() => {
        render(nothing, place);
        resolve(answer);
      }}>
        <h2 id="dialog-title">${title}</h2>
        <form @submit=${event => {
          event.preventDefault();
          end(true);
        }}>
          ${content}
          <footer>
            <button type="button" @click=${() => end(false)}>Cancel</button>
            <button class=${danger ? 'danger' : 'primary'}>${action}</button>
          </footer>
        </form>
      </dialog>`,
      place
    );
    place.querySelector('dialog').showModal();
  });
}

export { html, nothing, render };
