import { type Html, html } from '../../../core/text/html.ts';
import {
  PARAMETER_TYPES,
  parametersOf,
  STANDARD_PARAMETERS,
} from '../../../etl/project/sql/questions/question-parameters.ts';
import { option } from '../layout/filter-form.ts';

export function keepForm(sql: string, csrf: string, written = new URLSearchParams()): Html {
  const own = parametersOf(sql).filter((name) => !Object.hasOwn(STANDARD_PARAMETERS, name));
  return html`<form method="post" action="/ask/keep">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="sql" value="${sql}">
<div class="parameters">
<div><label for="keep-name">Name</label><input id="keep-name" name="name" required pattern="[a-z][a-z0-9_]*" maxlength="100" value="${written.get('name')}" placeholder="q90_broken_pages" aria-describedby="keep-name-about"><small id="keep-name-about">Lowercase letters, digits and _. The file is sql/questions/NAME.sql.</small></div>
<div><label for="keep-title">Title</label><input id="keep-title" name="title" required value="${written.get('title')}"></div>
<div><label for="keep-description">Description</label><input id="keep-description" name="description" required value="${written.get('description')}"></div>
</div>
${own.map(
  (name) => html`<fieldset class="parameters"><legend>$${name}</legend>
<div><label for="keep-type-${name}">Type</label><select id="keep-type-${name}" name="type.${name}">${PARAMETER_TYPES.map((type) => option(type, written.get(`type.${name}`)))}</select></div>
<div><label for="keep-about-${name}">What it means</label><input id="keep-about-${name}" name="about.${name}" required value="${written.get(`about.${name}`)}"></div>
</fieldset>`,
)}
<p><button type="submit">Keep</button></p>
</form>`;
}
