import type { TokenScope } from '../../../client/scopes.ts';
import { html } from '../../../core/text/html.ts';
import type { Authorization } from '../oauth/authorization.ts';
import { page } from './page.ts';

/** The rights of each scope, for the user (api-spec.md §5). */
const GRANTS: Readonly<Record<TokenScope, readonly [title: string, detail: string]>> = {
  'account:read': ['See your account', 'workspaces, subscription, names of secrets, data exports'],
  'account:write': [
    'Change your account',
    'create and delete secrets, start data exports to your object stores',
  ],
  'projects:read': [
    'See your projects and their data',
    'configurations, crawls, reports; search, count and export their rows',
  ],
  'projects:write': ['Change your projects', 'create and delete projects, launch, steer and delete crawls'],
};

const STYLE = `
main{max-width:31rem;margin:6vh auto;padding:0 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.75rem;box-shadow:0 1px 3px #0001}
.where{color:var(--soft);font-size:.875rem;margin:0 0 1rem}
p{margin:.25rem 0 1rem}
fieldset{border:0;padding:0;margin:1.25rem 0}
legend{padding:0;margin-bottom:.5rem;color:var(--soft);font-size:.875rem}
label{display:grid;grid-template-columns:auto 1fr;gap:.1rem .75rem;padding:.7rem .85rem;border:1px solid var(--line);border-radius:.5rem;margin-bottom:.5rem;cursor:pointer}
label:has(:checked){border-color:var(--accent)}
label input{grid-row:span 2;width:1.1rem;height:1.1rem;margin-top:.2rem;accent-color:var(--accent)}
label code{color:var(--soft);font-size:.8rem}
label .detail{color:var(--soft);font-size:.875rem}
.back{font-size:.875rem;color:var(--soft);overflow-wrap:anywhere}
.actions{display:flex;gap:.75rem;margin-top:1.25rem}
button{flex:1;padding:.65rem 1rem;border-radius:.5rem;border:1px solid var(--line);background:transparent;cursor:pointer;font-weight:600}
button.yes{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.problem{color:var(--warn)}
`;

/**
 * Returns the page where a user decides whether an application may act for them, and with which scopes (api-spec.md §5,
 * step 1).
 */
export function authorizationPage(
  { application, redirectUri, scopes }: Authorization,
  key: string,
  workspace: string,
): string {
  const rows = scopes.map(
    (scope) => html`<label>
  <input type="checkbox" name="scope" value="${scope}" checked>
  <span>${GRANTS[scope][0]} <code>${scope.replace(/^projects:/, 'project:')}</code></span>
  <span class="detail">${GRANTS[scope][1]}</span>
</label>
`,
  );
  return page({
    title: `Authorize ${application.name}`,
    style: STYLE,
    body: html`<main><div class="card">
<p class="where">Workspace ${workspace}</p>
<h1>Let ${application.name} act for you?</h1>
<p>It requests the permissions below. Clear the ones that you do not grant.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="request" value="${key}">
<fieldset>
<legend>It will be able to</legend>
${rows}</fieldset>
<p class="back">Both buttons lead back to <code>${redirectUri}</code></p>
<div class="actions">
<button class="yes" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Refuse</button>
</div>
</form>
</div></main>`,
  });
}

/** Returns the page for a user whose browser cannot be redirected. */
export function authorizationProblemPage(message: string): string {
  return page({
    title: 'This request can’t be authorized',
    style: STYLE,
    body: html`<main><div class="card">
<h1>This request can’t be authorized</h1>
<p class="problem">${message}</p>
<p>Go back to the application and begin again there.</p>
</div></main>`,
  });
}
