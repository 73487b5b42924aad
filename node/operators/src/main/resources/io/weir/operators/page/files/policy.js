// The policy: an editor that rehearses, and the revisions before.

import { ask, askWithTag, withQuery } from './api.js';
import { confirmed, diff, html, nothing, panel, table, time } from './parts.js';

const shown = { text: '', tag: '', file: '', edited: '', problems: [], warnings: [], difference: null, revisions: [], seen: null };

async function find() {
  const { text, tag, file } = await askWithTag('/v1/policy');
  Object.assign(shown, { text, tag, file, edited: text, problems: [], warnings: [], difference: null });
  await history();
}

async function history() {
  shown.revisions = (await ask('/v1/policy/revisions')).revisions;
}

/** Rehearses or publishes what was edited; with force, also if stored keys lose limits. */
async function put(app, isDryRun, { comment, force } = {}) {
  app.failure = null;
  try {
    const answer = await ask(withQuery('/v1/policy', { dryRun: isDryRun || '', force: force || '', comment }), {
      method: 'PUT',
      text: shown.edited,
      headers: { 'If-Match': shown.tag, 'Content-Type': 'text/plain; charset=utf-8' }
    });
    Object.assign(shown, { problems: [], warnings: answer.warnings, difference: answer.diff });
    return answer;
  } catch (error) {
    shown.problems = error.details?.problems || [];
    delete error.details?.problems; // they are shown at their lines
    shown.warnings = [];
    shown.difference = error.status === 412 ? error.details.diff : null;
    throw error;
  }
}

async function rehearse(app) {
  await put(app, true);
  app.say('It would be accepted.');
}

/**
 * Asks once more if a change is refused because stored keys would lose limits.
 *
 * @param change is called again with force if that was confirmed
 * @returns what the change resolves to, and whether it was forced; null if it was not confirmed
 */
async function forcedIfConfirmed(app, change) {
  try {
    return { answer: await change(false), force: false };
  } catch (error) {
    if (error.details?.code !== 'records_stranded') {
      throw error;
    }
    const isSure = await confirmed({
      title: 'Stored keys would lose limits',
      content: html`<p>${error.message}</p><ul>${error.mistakes.map(one => html`<li>${one}</li>`)}</ul>`,
      action: 'Go on anyway',
      danger: true
    });
    app.failure = null;
    return isSure ? { answer: await change(true), force: true } : null;
  }
}

async function publish(app) {
  const rehearsed = await forcedIfConfirmed(app, force => put(app, true, { force }));
  if (!rehearsed) {
    return;
  }
  const { force } = rehearsed;
  let comment = '';
  const isSure = await confirmed({
    title: 'Put in force on all nodes?',
    content: html`${diff(shown.difference)}
      <label>why<input maxlength="200" @input=${event => { comment = event.target.value; }}></label>`,
    action: 'Put in force',
    danger: force
  });
  if (isSure) {
    const answer = await put(app, false, { comment, force });
    await find();
    app.say(`Revision ${answer.revision} is in force.`);
  }
}

async function rollBack(app, revision) {
  const difference = await ask(withQuery('/v1/policy/diff', { from: shown.tag.replaceAll('"', ''), to: revision }));
  const isSure = await confirmed({
    title: `Back to revision ${revision}?`,
    content: html`<p>Its text becomes a new revision.</p>${diff(difference)}`,
    action: 'Roll back',
    danger: true
  });
  if (isSure) {
    const done = await forcedIfConfirmed(app, force =>
      ask(withQuery('/v1/policy/rollback', { force: force || '' }), {
        method: 'POST',
        json: { revision },
        headers: { 'If-Match': shown.tag }
      }));
    if (done) {
      await find();
      app.say(`Revision ${done.answer.revision} is in force, with the text of ${revision}.`);
    }
  }
}

async function look(app, revision) {
  shown.seen = { revision, text: await ask(withQuery('/v1/policy/diff', { to: revision })) };
  app.draw();
}

function select(line) {
  const field = document.getElementById('policy-text');
  const before = shown.edited.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const end = shown.edited.indexOf('\n', before);
  field.focus();
  field.setSelectionRange(before, end < 0 ? shown.edited.length : end);
  field.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(field).lineHeight));
}

function problems() {
  const all = [...shown.problems, ...shown.warnings];
  return all.length
    ? html`<ul class="problems" aria-label="problems">${all.map(
        one => html`<li class=${one.severity}><button type="button" class="plain" @click=${() => select(one.line)}>line ${one.line}</button>
          <code>${one.code}</code> ${one.message} <small>${one.path}</small></li>`
      )}</ul>`
    : nothing;
}

// Only nodes that follow a policy file say something about it.
function fileNote() {
  const notes = {
    differs: 'The policy file of this node has another policy: this one stays until the file changes.',
    refused: 'The policy file of this node is refused; its log says why.'
  };
  const note = notes[shown.file];
  return note ? html`<p class="tag warn" role="note">${note}</p>` : nothing;
}

function editor(app) {
  const count = shown.edited.split('\n').length;
  const marked = new Set(shown.problems.map(one => one.line));
  const isChanged = shown.edited !== shown.text;
  const mayEdit = app.may('all') && !app.session.tenant;
  return html`${fileNote()}<div class="editor">
      <pre class="lines" aria-hidden="true">${Array.from({ length: count }, (unused, index) =>
        html`<span class=${marked.has(index + 1) ? 'marked' : ''}>${index + 1}
</span>`)}</pre>
      <textarea id="policy-text" aria-label="policy" spellcheck="false" wrap="off" ?readonly=${!mayEdit} .value=${shown.edited}
        @input=${event => { shown.edited = event.target.value; app.draw(); }}
        @scroll=${event => { event.target.previousElementSibling.scrollTop = event.target.scrollTop; }}></textarea>
    </div>
    ${problems()}
    ${shown.difference === null ? nothing : html`<h3>Difference</h3>${diff(shown.difference)}`}
    <div class="buttons">
      <button type="button" ?disabled=${!mayEdit} @click=${app.doing(rehearse)}>Rehearse</button>
      <button type="button" class="primary" ?disabled=${!mayEdit || !isChanged} @click=${app.doing(publish)}>Put in force…</button>
      <button type="button" ?disabled=${!isChanged} @click=${app.doing(find)}>Discard</button>
    </div>`;
}

function revisions(app) {
  const inForce = Number(shown.tag.replaceAll('"', ''));
  const columns = [
    ['revision', one => html`<b>${one.revision}</b>${one.revision === inForce ? html` <span class="tag">in force</span>` : nothing}`],
    ['at', one => time(one.at)],
    ['by', one => one.by || nothing],
    ['why', one => one.comment || nothing],
    ['', one => html`<button type="button" @click=${app.doing(of => look(of, one.revision))}>Difference</button>
      <button type="button" ?disabled=${one.revision === inForce || !app.may('all')} @click=${app.doing(of => rollBack(of, one.revision))}>Back to it…</button>`]
  ];
  return html`${table(columns, shown.revisions, app.failure ? '' : 'No revision is kept.', 'revisions')}
    ${shown.seen ? html`<h3>What revision ${shown.seen.revision} changed</h3>${diff(shown.seen.text)}` : nothing}`;
}

export default {
  title: 'Policy',

  async load() {
    if (shown.edited === shown.text) {
      await find();
    } else {
      await history(); // what was edited stays
    }
  },

  draw(app) {
    return html`${panel('In force', editor(app), html`<span class="quiet">revision ${shown.tag.replaceAll('"', '')}</span>`)}
      ${panel('History', revisions(app))}`;
  }
};
