// The form that begins a session.

import { signIn } from './api.js';
import { html, problem } from './parts.js';

/**
 * The page of somebody without a session.
 *
 * @param icon an address
 * @param begin is called with the session in `app`
 */
export function signInPage(app, icon, begin) {
  const submit = async event => {
    event.preventDefault();
    const field = event.target.elements.token;
    app.failure = null;
    try {
      app.session = await signIn(field.value.trim());
      field.value = '';
      begin();
    } catch (error) {
      app.failure = error;
      app.draw();
    }
  };
  return html`<main class="sign-in" id="main">
    <form @submit=${submit}>
      <h1><img src=${icon} alt="" width="40" height="40">Weir</h1>
      <p>Who is limited, why, since when, and what to do.</p>
      <label>Admin token
        <input name="token" type="password" required autocomplete="off" spellcheck="false" maxlength="512">
      </label>
      ${problem(app.failure)}
      <button class="primary">Sign in</button>
    </form>
  </main>`;
}
