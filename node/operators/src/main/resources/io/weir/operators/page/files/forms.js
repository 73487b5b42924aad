// Dialogs that ask for some texts.

import { choice, confirmed, html, nothing } from './parts.js';

function field(of, wish) {
  const label = of.label || of.name;
  const set = event => {
    wish[of.name] = event.target.value;
  };
  if (of.values) {
    return choice(label, of.values, wish[of.name], set, of.name);
  }
  return html`<label>${label}<input name=${of.name} type=${of.type || 'text'} min="0" .value=${of.value || ''} ?required=${of.required} maxlength="200" placeholder=${of.hint || nothing} spellcheck="false" autocomplete="off" @input=${set}></label>`;
}

/**
 * Asks for texts. Resolves to those that are given, by the names of the fields; null if it was cancelled.
 *
 * @param fields `name`, and maybe `label`, `type`, `value`, `hint`, `required`, or `values` to choose from
 * @param isWhole whether empty texts are answers, too
 */
export async function fill(title, action, fields, isWhole = false) {
  const wish = Object.fromEntries(fields.map(of => [of.name, of.value ?? of.values?.[0][0] ?? '']));
  const isSure = await confirmed({ title, content: html`<div class="grid">${fields.map(of => field(of, wish))}</div>`, action });
  const given = Object.entries(wish).map(([name, value]) => [name, value.trim()]);
  return isSure ? Object.fromEntries(given.filter(([, value]) => isWhole || value)) : null;
}
