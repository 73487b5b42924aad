// A log of the past, under the policy in force and under the draft.

import { ask } from './api.js';
import { bar, count, html, nothing, number, panel, table } from './parts.js';

const shown = { name: '', told: null };

async function text(file) {
  const stream = file.name.endsWith('.gz') ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}

/** Puts a log through the policy in force, and the draft if there is one. */
async function replay(app, file, draft) {
  Object.assign(shown, { name: file.name, told: null });
  app.say(`${file.name} is replayed…`);
  const log = await text(file);
  const format = /^\s*[[{]/.test(log) ? 'json' : 'common';
  shown.told = await ask('/v1/replay', { method: 'POST', json: { log, format, ...(draft ? { policy: draft } : {}) } });
  app.say('');
}

function only(of, title) {
  return of?.total
    ? html`<h3>${title}: ${number(of.total)}</h3><div class="two">
        ${table([['limit', row => html`${row.limit} <small>${row.operation}, ${row.plan}</small>`], ['times', count, 'number']], of.limits, '', title)}
        ${table([['caller', row => row.caller], ['times', count, 'number']], of.callers, '', title)}</div>`
    : nothing;
}

function result(told) {
  const share = one => (100 * (one.denied + one.neverAllowed)) / Math.max(1, one.admitted + one.denied + one.neverAllowed);
  const [inForce, draft] = told.policies;
  const columns = [
    ['policy', one => html`<b>${one.policy}</b>`],
    ['admitted', one => number(one.admitted), 'number'],
    ['denied', one => html`${bar(share(one), `${number(share(one))} % denied`)}<small>${number(one.denied)}, ${number(share(one))} %</small>`, 'wide'],
    ['blocked', one => number(one.neverAllowed), 'number'],
    ['unknown caller', one => number(one.unknown), 'number']
  ];
  return html`<p>${shown.name}: ${number(told.lines)} lines${told.unread ? html`, <b>${number(told.unread)} of another form</b> (${told.unreadReasons.map(one => one.reason).join(', ')})` : nothing}</p>
    ${table(columns, told.policies, '', 'replay')}
    ${draft ? only(draft.onlyHere, 'Only the draft denies') : nothing}${draft ? only(inForce.onlyHere, 'Only the policy in force denies') : only(inForce.refused, 'Denied')}`;
}

/**
 * The form, and the result of the last replay.
 *
 * @param draft tells the text of the draft, if there is one
 */
export function drawReplay(app, draft) {
  const chosen = event => {
    const [file] = event.target.files;
    event.target.value = '';
    if (file) {
      app.doing(() => replay(app, file, draft()))();
    }
  };
  return panel(
    'Replay of a log',
    html`<label class="file">an access log (common, combined or JSON lines; .gz, too; 16 MB at most)
        <input type="file" ?disabled=${!app.may('all')} @change=${chosen}></label>
      ${shown.told ? result(shown.told) : nothing}`
  );
}
