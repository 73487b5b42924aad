// The keys of the page. An element says by `data-key` which key presses it; rows have `data-row`.

import { dialog, html } from './parts.js';

const WORDS = [['/', 'find a key, tenant, limit, operation or denial'], ['j, k', 'the next row, the one before'], ['Enter', 'open the row'], ['Esc', 'close it'], ['r', 'reset what is open'], ['b', 'boost it'], ['f', 'freeze or activate it'], ['?', 'these keys']];

function step(by) {
  const rows = [...document.querySelectorAll('[data-row]')];
  const focused = rows.indexOf(document.activeElement);
  const from = focused >= 0 ? focused : rows.findIndex(row => row.closest('.chosen'));
  rows[Math.max(0, Math.min(rows.length - 1, from + by))]?.focus();
}

function help() {
  dialog('Keys', end => html`<dl class="fields">${WORDS.map(([key, words]) => html`<dt><kbd>${key}</kbd></dt><dd>${words}</dd>`)}</dl>
    <footer><button type="button" autofocus @click=${() => end()}>Close</button></footer>`);
}

const KEYS = { j: () => step(1), k: () => step(-1), '?': help };

/** A key was pressed somewhere on the page; in fields and dialogs it means what it always does. */
export function pressed(event) {
  const isTyped = event.target.closest?.('input, textarea, select, dialog');
  if (event.ctrlKey || event.metaKey || event.altKey || isTyped || document.querySelector('dialog[open]')) {
    return;
  }
  const element = [...document.querySelectorAll('[data-key]')].find(one => one.dataset.key === event.key && !one.disabled);
  const action = element ? () => element.click() : KEYS[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
}
