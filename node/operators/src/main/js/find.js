// How to get about: what finds a key, tenant, limit, operation or denial from everywhere, and the keys of the page. An element
// says by `data-key` which key presses it; rows have `data-row`.

import { ask, withQuery } from './api.js';
import { operationName } from './denials.js';
import { dialog, html, nothing, render } from './parts.js';
import { live } from './live.js';

const MOST = 8;
const ENOUGH = 2; // characters, before the node is asked
const PAUSE_MILLIS = 120;
const BEFORE = 40; // characters of a line before what is found in it
const EXCERPT = 90;
const DENIAL = /^[a-z0-9]{8,64}$/;
const NAME = /^\S+$/;

// A request for something that may not be there.
function maybe(path) {
  return ask(path).catch(error => (error.status === 404 || error.status === 400 || error.status === 403 ? null : Promise.reject(error)));
}

function ofViews(app, text) {
  return app.views().filter(([, view]) => view.title.toLowerCase().includes(text)).map(([name, view]) => ['view', view.title, `#/${name}`]);
}

function ofCases(text) {
  return (live.cases?.cases || [])
    .filter(one => `${one.tenant}/${one.key || ''} ${one.limit} ${one.operation}`.toLowerCase().includes(text))
    .map(one => ['limited now', `${one.tenant}/${one.key || ''} ${one.limit}`, withQuery('#/now', one.key ? { key: one.key, limit: one.limit, operation: one.operation } : { tenant: one.tenant, limit: one.limit })]);
}

async function ofDenials(text) {
  const found = DENIAL.test(text) ? await maybe(`/v1/denials/${text}`) : null;
  return found ? [['denial', `${found.tenant}/${found.key}, ${operationName(found)}`, withQuery('#/now', { id: text })]] : [];
}

async function ofKeys(text) {
  const exact = NAME.test(text) ? await maybe(withQuery('/v1/explain', { key: text })) : null;
  const { keys } = (await maybe(withQuery('/v1/keys', { find: text, limit: MOST }))) || { keys: [] };
  const named = [...(exact ? [{ id: exact.key, tenant: exact.tenant }] : []), ...keys.filter(one => one.id !== exact?.key)];
  return named.map(one => ['key', `${one.tenant}/${one.id}`, withQuery('#/now', { key: one.id })]);
}

// Those with a record, and without one those of open cases, and one with a denial whose name is whole. An operator of
// one tenant lists no others.
async function ofTenants({ session }, text) {
  const asked = session.tenant ? [] : await Promise.all([
    maybe(withQuery('/v1/tenants', { find: text, limit: MOST })),
    maybe(withQuery('/v1/denials', { tenant: text, limit: 1 }))
  ]);
  const known = (live.cases?.cases || [session]).filter(({ tenant }) => tenant?.toLowerCase().includes(text.toLowerCase()));
  const all = [...asked.flatMap(some => some?.tenants || some?.denials || []), ...known].map(({ id, tenant = id }) => tenant);
  return [...new Set(all)].map(tenant => ['tenant', tenant, withQuery('#/now', { tenant })]);
}

// Limits, operations and plans stand in the policy.
async function ofPolicy(app, text) {
  if (app.session.tenant) {
    return [];
  }
  const lines = (await ask('/v1/policy')).split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines
    .filter(({ line }) => line.toLowerCase().includes(text) && !line.startsWith('#'))
    .map(({ line, number }) => ['policy', `${number}: ${around(line, text)}`, withQuery('#/limits', { line: number })]);
}

function around(line, text) {
  const from = Math.max(0, line.toLowerCase().indexOf(text) - BEFORE);
  return `${from ? '…' : ''}${line.slice(from, from + EXCERPT)}`;
}

/** Where the text occurs, as a kind, a title and an address each. */
async function found(app, text) {
  const small = text.toLowerCase();
  const asked = text.length < ENOUGH ? [] : await Promise.all([ofDenials(text), ofKeys(text), ofTenants(app, text), ofPolicy(app, small)]);
  return [ofCases(small), ...asked, ofViews(app, small)].flatMap(some => some.slice(0, MOST));
}

function results(rows, failure) {
  return html`<ul aria-label="found">${rows.map(([kind, title, address]) => html`<li><a href=${address}>${title} <small>${kind}</small></a></li>`)}</ul>
    <p class="quiet" role="status">${failure || (rows.length ? `${rows.length} found` : 'Nothing is found.')}</p>`;
}

// Shows what is found for the text of a field, unless another one is typed meanwhile.
async function search(app, field) {
  const text = field.value.trim();
  const place = field.form.querySelector('.results');
  await new Promise(resolve => { setTimeout(resolve, PAUSE_MILLIS); });
  const isStill = () => text === field.value.trim();
  if (!isStill()) {
    return;
  }
  let shown = nothing;
  try {
    shown = text ? results(await found(app, text), '') : nothing;
  } catch (error) {
    shown = results([], error.message);
  }
  if (isStill()) {
    render(shown, place);
  }
}

// The arrows lead from the field to the results and back.
function move(event) {
  const links = [...event.currentTarget.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && links.length) {
    event.preventDefault();
    const next = links[links.indexOf(document.activeElement) + step];
    (next || event.currentTarget.elements.text).focus();
  }
}

/** Opens the search; goes to what is chosen. */
export async function openFind(app) {
  const form = end => {
    const choose = link => link && end(link.getAttribute('href'));
    const click = event => {
      if (event.target.closest('a')) {
        event.preventDefault();
        choose(event.target.closest('a'));
      }
    };
    const submit = event => {
      event.preventDefault();
      choose(event.target.querySelector('a'));
    };
    return html`<form @keydown=${move} @click=${click} @submit=${submit}>
      <input name="text" aria-label="key, tenant, limit, operation, id of a denial" placeholder="key, tenant, limit, operation, id of a denial"
        maxlength="128" spellcheck="false" autocomplete="off" autofocus @input=${event => search(app, event.target)}>
      <div class="results"></div></form>`;
  };
  const chosen = await dialog('Find anything', form, 'find');
  if (chosen) {
    app.go(chosen);
  }
}

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

// A click anywhere in a row opens it, unless it is of something else there, or selects text.
window.addEventListener('click', ({ target }) => {
  if (!target.closest('a, button, details') && !String(window.getSelection())) {
    target.closest('tr')?.querySelector('[data-row]')?.click();
  }
});
