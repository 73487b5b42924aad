// The policy as one draft: edit, dry run, compare on live traffic, put in force; and the revisions before.

import { ask, askWithTag, withQuery } from './api.js';
import { comparison, compare, drawReplay, findComparison } from './compare.js';
import { keep, kept } from './draft.js';
import { editor, select } from './editor.js';
import { age, clock, confirmed, diff, html, loading, nothing, panel, table } from './parts.js';

const CHECK_MILLIS = 700;

const NO_RESULT = { problems: [], warnings: [], difference: null, tried: null };

const shown = { text: '', tag: '', file: '', draft: null, revisions: null, seen: null, ...NO_RESULT };

const edited = () => shown.draft?.text ?? shown.text;
const revision = () => shown.tag.replaceAll('"', '');

async function find() {
  const { value: text, tag, file } = await askWithTag('/v1/policy');
  Object.assign(shown, { text, tag, file, ...(await kept()) });
  if (shown.draft?.text === text) {
    write(null);
  }
  shown.revisions = (await ask('/v1/policy/revisions')).revisions;
}

function write(draft) {
  shown.draft = draft && { ...draft, at: Date.now() };
  keep(shown.draft);
}

let timer = 0;

function edit(app, text, before = shown.draft) {
  write(text === shown.text ? null : { base: revision(), ...before, text });
  Object.assign(shown, { problems: [], warnings: [] });
  clearTimeout(timer);
  timer = setTimeout(() => check(app), CHECK_MILLIS);
  app.draw();
}

/** Looks for problems once nobody types, against no revision. */
async function check(app) {
  const text = edited();
  const result = await ask('/v1/policy?dryRun=true', { method: 'PUT', text }).then(
    answer => ({ problems: [], warnings: answer.warnings, tried: text }),
    error => ({ problems: error.details?.problems || [] })
  );
  if (text === edited()) {
    Object.assign(shown, result);
    app.draw();
  }
}

/** Tries or publishes the draft; with force, also if stored keys lose limits. */
async function put(app, isDryRun, { comment, force } = {}) {
  const text = edited();
  app.failure = null;
  try {
    const answer = await ask(withQuery('/v1/policy', { dryRun: isDryRun || '', force: force || '', comment }), {
      method: 'PUT',
      text,
      headers: { 'If-Match': shown.tag }
    });
    Object.assign(shown, { problems: [], warnings: answer.warnings, difference: answer.diff, tried: text });
    return answer;
  } catch (error) {
    Object.assign(shown, NO_RESULT, { problems: error.details?.problems || [] });
    delete error.details?.problems; // they are shown at their lines
    if (error.status === 412) {
      shown.difference = error.details.diff;
      await find(); // the next try is made against what is in force by now
    }
    throw error;
  }
}

async function dryRun(app) {
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
  const tried = await forcedIfConfirmed(app, force => put(app, true, { force }));
  let comment = '';
  const isSure = tried && await confirmed({
    title: 'Put in force on all nodes?',
    content: html`${diff(shown.difference)}
      <label>why<input maxlength="200" @input=${event => { comment = event.target.value; }}></label>`,
    action: 'Put in force',
    danger: tried.force
  });
  if (isSure) {
    const answer = await put(app, false, { comment, force: tried.force });
    write(null);
    Object.assign(shown, NO_RESULT);
    await find();
    app.say(`Revision ${answer.revision} is in force.`);
  }
}

async function rollBack(app, to) {
  const difference = await ask(withQuery('/v1/policy/diff', { from: revision(), to }));
  const isSure = await confirmed({
    title: `Restore revision ${to}?`,
    content: html`<p>Its text becomes a new revision.</p>${diff(difference)}`,
    action: 'Restore',
    danger: true
  });
  const done = isSure && await forcedIfConfirmed(app, force =>
    ask(withQuery('/v1/policy/rollback', { force: force || '' }), { method: 'POST', json: { revision: to }, headers: { 'If-Match': shown.tag } }));
  if (done) {
    await find();
    app.say(`Revision ${done.answer.revision} is in force, with the text of ${to}.`);
  }
}

async function discard(app) {
  const isSure = await confirmed({ title: 'Discard the draft?', content: html`<p>It differs from revision ${shown.draft.base}.</p>`, action: 'Discard', danger: true });
  if (isSure) {
    write(null);
    Object.assign(shown, NO_RESULT);
  }
}

// Only nodes that follow a policy file say something about it.
function fileNote() {
  const notes = {
    differs: 'The policy file of this node has another policy: this one stays until the file changes.',
    refused: 'The policy file of this node is refused; its log says why.'
  };
  const note = notes[shown.file];
  return note ? html`<p class="bad" role="note">${note}</p>` : nothing;
}

/** The steps of the draft, with how far it is. */
function steps(app, mayEdit) {
  const { draft } = shown;
  const text = edited();
  const errors = shown.problems.filter(one => one.severity === 'error').length;
  const warnings = shown.problems.length - errors + shown.warnings.length;
  const warned = warnings ? `, warnings: ${warnings}` : '';
  const isBehind = draft && draft.base !== revision();
  const other = !draft && shown.other?.text !== text && shown.other;
  const of = [
    ['Edit', draft ? html`differs from revision ${draft.base}${isBehind ? html`; <b>revision ${revision()} is in force by now</b>` : nothing}` : `revision ${revision()}, no change`,
      other ? html`<button type="button" ?disabled=${!mayEdit} @click=${() => edit(app, other.text, other)}>Continue the draft of ${clock(other.at)} from another session</button>` : nothing],
    ['Dry run', errors ? html`<b class="bad">errors: ${errors}</b>${warned}` : shown.tried === text ? `accepted${warned}` : 'not tried',
      html`<button type="button" ?disabled=${!mayEdit} @click=${app.doing(dryRun)}>Dry run</button>`],
    ['Compare', draft?.compared === text ? 'this draft' : draft?.compared ? 'an earlier text of the draft' : 'not compared',
      html`<button type="button" ?disabled=${!mayEdit} @click=${app.doing(async () => {
        if (await compare(app, text) && shown.draft) {
          write({ ...shown.draft, compared: text });
        }
      })}>Compare on live traffic…</button>`],
    ['Put in force', draft ? 'a draft' : 'nothing to put in force',
      html`<button type="button" class="primary" ?disabled=${!mayEdit || !draft} @click=${app.doing(publish)}>Put in force…</button>
        <button type="button" ?disabled=${!draft} @click=${app.doing(discard)}>Discard…</button>`]
  ];
  return html`<ol class="steps">${of.map(([title, words, buttons]) => html`<li><b>${title}</b> <span class="quiet">${words}</span><span class="buttons">${buttons}</span></li>`)}</ol>`;
}

function history(app) {
  const inForce = Number(revision());
  const before = shown.revisions?.find(one => one.revision < inForce)?.revision;
  const mayRestore = app.may('all') && !app.session.tenant;
  const action = one => {
    const [to, style, words] = one.revision === inForce ? [before, '', 'Undo…'] : [one.revision, 'plain', 'Restore…'];
    return to && mayRestore ? html`<button type="button" class=${style} @click=${app.doing(() => rollBack(app, to))}>${words}</button>` : nothing;
  };
  const columns = [
    ['revision', one => html`<b>${one.revision}</b>${one.revision === inForce ? html` <span class="tag">in force</span>` : nothing}`],
    ['at', one => html`${clock(one.at)} <small>${age(one.at)} ago</small>`],
    ['by', one => one.by || nothing],
    ['why', one => one.comment || nothing],
    ['', one => html`<a href=${withQuery('#/limits', { difference: one.revision })}>Difference</a> ${action(one)}`]
  ];
  return html`${table(columns, shown.revisions, 'No revision is kept.', 'revisions')}
    ${shown.seen ? html`<h3>What revision ${shown.seen.revision} changed</h3>${diff(shown.seen.text)}` : nothing}`;
}

export default {
  title: 'Limits',

  async load(app) {
    const { line = '', difference: to } = app.parameters;
    await find();
    await findComparison();
    shown.seen = to && { revision: to, text: await ask(withQuery('/v1/policy/diff', { to })) };
    if (line) {
      app.draw();
      requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById('policy-text') && select(Number(line))));
    }
  },

  heard: app => app.refresh(findComparison),

  draw(app) {
    if (!shown.tag) {
      return panel('In force', loading(8)); // alone: what stands below would move
    }
    const mayEdit = app.may('all') && !app.session.tenant;
    const content = html`${fileNote()}${steps(app, mayEdit)}${editor(edited(), [...shown.problems, ...shown.warnings], mayEdit, text => edit(app, text))}
      ${shown.difference === null ? nothing : html`<h3>Difference to what is in force</h3>${diff(shown.difference)}`}`;
    return html`${panel(shown.draft ? 'Draft' : 'In force', content, html`<span class="quiet">revision ${revision()}</span>`)}
      ${comparison(app)}
      ${drawReplay(app, () => shown.draft?.text)}
      ${panel('History', history(app))}`;
  }
};
