import { type Html, html } from '../../../core/text/html.ts';
import { askFields } from './ask-address.ts';
import { csrfField } from './shell.ts';

/**
 * Returns the form that creates a link to the rows of a statement.
 *
 * @param query the statement, as in an address of `/ask`
 */
export function shareForm(query: URLSearchParams, title: string, csrf: string): Html {
  return html`<details><summary>Make a link for Google Sheets</summary>
<p class="facts">A CSV address for <code>IMPORTDATA</code>. Anyone who has it can read these rows until you revoke it.</p>
<form method="post" action="/links" class="choose">${csrfField(csrf)}
${askFields(query).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>Title <input name="title" required maxlength="100" value="${title}"></label>
<button type="submit">Make the link</button> <a href="/links">All links</a></form></details>`;
}
