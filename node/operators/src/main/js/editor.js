// The text of a policy to be edited, with what is wrong in it.

import { html, nothing, svg } from './parts.js';

const FIRST_PROBLEMS = 3;
const LINE_PIXELS = 20;

/** Marks a line of the draft, from a column on, and scrolls to it. */
export function select(line, column = 1) {
  const field = document.getElementById('policy-text');
  const lines = field.value.split('\n');
  const before = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  field.focus();
  field.setSelectionRange(before + column - 1, before + (lines[line - 1] || '').length);
  field.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(field).lineHeight));
}

function problemLine(one) {
  return html`<li class=${one.severity}><button type="button" class="plain" @click=${() => select(one.line, one.column)}>line ${one.line}, column ${one.column}</button>
    ${one.message} <small><code>${one.code}</code> ${one.path}</small></li>`;
}

// One mistake often causes others further down.
function problems(all) {
  const more = all.slice(FIRST_PROBLEMS);
  return all.length
    ? html`<ul class="problems" aria-label="problems">${all.slice(0, FIRST_PROBLEMS).map(problemLine)}</ul>
        ${more.length ? html`<details><summary>${more.length} more, maybe because of line ${all[0].line}</summary><ul class="problems">${more.map(problemLine)}</ul></details>` : nothing}`
    : nothing;
}

// A mark under the rest of a line from a problem on, and behind its end what is wrong.
function note(line, found, text) {
  const begin = found[0].column - 1;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  return svg`<g class=${found[0].severity} transform=${`translate(0 ${LINE_PIXELS * (line - 1)})`}>
    <rect x=${`${begin}ch`} y="17" width=${`${Math.max(1, text.trimEnd().length - begin)}ch`} height="2"></rect>
    <text x=${`${text.length + 2}ch`} y="14">${found[0].message}${more}</text></g>`;
}

function scrolled({ target }) {
  const { scrollTop, scrollLeft } = target;
  target.closest('.editor').querySelector('.lines').scrollTop = scrollTop;
  target.nextElementSibling.firstElementChild.setAttribute('transform', `translate(${-scrollLeft} ${-scrollTop})`);
}

/**
 * The text of a policy with its problems at their lines.
 *
 * @param found the problems and warnings
 * @param edit gets the text when it is changed
 */
export function editor(text, found, mayEdit, edit) {
  const lines = text.split('\n');
  const marked = new Map();
  [...found]
    .sort((one, other) => one.severity.localeCompare(other.severity)) // errors first
    .forEach(one => marked.set(one.line, [...(marked.get(one.line) || []), one]));
  return html`<div class="editor">
      <div class="lines" aria-hidden="true">${lines.map((unused, index) => html`<span class=${marked.has(index + 1) ? `marked ${marked.get(index + 1)[0].severity}` : ''}>${index + 1}</span>`)}</div>
      <div class="text">
        <textarea id="policy-text" aria-label="policy" spellcheck="false" wrap="off" ?readonly=${!mayEdit} .value=${text}
          @input=${event => edit(event.target.value)} @scroll=${scrolled}></textarea>
        <svg class="notes" aria-hidden="true"><g>${[...marked].map(([line, found]) => note(line, found, lines[line - 1] || ''))}</g></svg>
      </div>
    </div>
    ${problems(found)}`;
}
