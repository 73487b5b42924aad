// Texts that an operator types: a form asks for them until they are taken.

import { choice, confirmed, html, nothing, problem } from './parts.js';

function field(of, wish) {
  const label = of.label || of.name;
  const set = event => {
    wish[of.name] = event.target.value;
  };
  if (of.values) {
    return choice(label, of.values, wish[of.name], set, of.name);
  }
  return html`<label>${label}<input name=${of.name} type=${of.type || 'text'} min="0" .value=${wish[of.name]} ?required=${of.required} maxlength="200" placeholder=${of.hint || nothing} spellcheck="false" autocomplete="off" @input=${set}></label>`;
}

// A name that is taken or unknown, or somebody else's change meanwhile: the other texts may be right all the same.
const MENDABLE = [400, 404, 409, 412, 422];

/**
 * Asks for texts, and sends them; if they are refused, asks again, with the reason and what was typed. Resolves to the
 * answer, or to null if it was cancelled.
 *
 * @param fields `name`, and maybe `label`, `type`, `value`, `hint`, `required`, `values` to choose from, `isWhole` if an
 *     empty text is one, too
 * @param send gets those that are given, by the names of the fields
 * @param about is shown above the fields
 */
export async function fill(title, action, fields, send, about = nothing) {
  const wish = Object.fromEntries(fields.map(of => [of.name, of.value ?? of.values?.[0][0] ?? '']));
  let reason = nothing;
  while (await confirmed({ title, content: html`${reason}${about}<div class="grid">${fields.map(of => field(of, wish))}</div>`, action })) {
    const given = fields.map(of => [of.name, wish[of.name].trim(), of.isWhole]).filter(([, value, isWhole]) => isWhole || value);
    try {
      return await send(Object.fromEntries(given));
    } catch (error) {
      if (!MENDABLE.includes(error.status)) {
        throw error;
      }
      reason = problem(error);
    }
  }
  return null;
}
