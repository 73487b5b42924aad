// Requests to the admin API of this node. The session's cookie is sent by the browser; what changes something also
// shows the session's second secret.

let csrf = '';

/** An answer that is not a success, with the problem details of RFC 9457. */
export class Problem extends Error {
  constructor(status, details) {
    super(details.title || `HTTP ${status}`);
    this.status = status;
    this.details = details;
  }

  /** All mistakes that it names. */
  get mistakes() {
    const problems = (this.details.problems || []).map(
      one => `${one.line ? `line ${one.line}: ` : ''}${one.path ? `${one.path}: ` : ''}${one.message}`
    );
    const of = this.details.errors || [];
    return [...of.map(one => (typeof one === 'string' ? one : JSON.stringify(one))), ...problems];
  }
}

async function sent(path, { method = 'GET', json, text, headers = {} } = {}) {
  const all = { Accept: 'application/json, text/plain', ...headers };
  if (method !== 'GET') {
    all['Weir-Csrf'] = csrf;
  }
  if (json !== undefined) {
    all['Content-Type'] = 'application/json';
  } else if (text !== undefined) {
    all['Content-Type'] = 'text/plain; charset=utf-8';
  }
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: all,
      body: json === undefined ? text : JSON.stringify(json),
      credentials: 'same-origin',
      cache: 'no-store'
    });
  } catch (error) {
    throw new Problem(0, { title: `The node does not answer (${error.message})` });
  }
  const body = await answer.text();
  const isJson = /json/.test(answer.headers.get('Content-Type') || '');
  const value = isJson && body ? JSON.parse(body) : body;
  if (!answer.ok) {
    throw new Problem(answer.status, isJson ? value : { title: `HTTP ${answer.status}` });
  }
  return { value, headers: answer.headers };
}

/** Sends a request; resolves to its JSON, or its text. */
export async function ask(path, options) {
  return (await sent(path, options)).value;
}

/** The same with the version of what is answered, for If-Match, and how the policy file of the node agrees with it. */
export async function askWithTag(path) {
  const { value, headers } = await sent(path);
  return { value, tag: headers.get('ETag'), file: headers.get('Weir-Policy-File') };
}

/** A path with query parameters; those without a value are left out. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  ).toString();
  return query ? `${path}?${query}` : path;
}

/** The session of this browser; null if there is none. */
export async function session() {
  try {
    return remembered(await ask('/v1/session'));
  } catch (problem) {
    if (problem.status === 401 || problem.status === 403) {
      return null;
    }
    throw problem;
  }
}

/** Begins a session with an admin token. */
export async function signIn(token) {
  return remembered(
    await ask('/v1/session', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  );
}

/** Ends the session. */
export async function signOut() {
  await ask('/v1/session', { method: 'DELETE' });
  csrf = '';
}

function remembered(answer) {
  csrf = answer.csrf;
  return answer;
}
