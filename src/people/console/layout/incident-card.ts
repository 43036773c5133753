import { type Html, html } from '../../../core/text/html.ts';
import type { ShownIncident } from '../../../operations/alert/incident.ts';
import { timeText } from './times.ts';

export function incidentCard({ title, began, details, hint }: ShownIncident): Html {
  return html`<article class="incident">
<h2>${title}</h2>
<p class="facts">since ${began === null ? 'an unknown time' : html`${timeText(began)} UTC`}</p>
${details.length === 0 ? null : html`<ul>${details.map((line) => html`<li>${line}</li>`)}</ul>`}
${hint === null ? null : html`<p><strong>To do:</strong> ${hint}</p>`}
</article>
`;
}
