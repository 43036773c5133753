import { type Html, html } from '../../../core/text/html.ts';
import { timeText } from './times.ts';

interface ShownIncident {
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly began: string | null;
  readonly details: readonly string[];
  readonly hint: string | null;
}

export function incidentCard({ title, began, details, hint }: ShownIncident): Html {
  return html`<article class="incident">
<h2>${title}</h2>
<p class="facts">since ${began === null ? 'an unknown time' : html`${timeText(began)} UTC`}</p>
${details.length === 0 ? null : html`<ul>${details.map((line) => html`<li>${line}</li>`)}</ul>`}
${hint === null ? null : html`<p><strong>To do:</strong> ${hint}</p>`}
</article>
`;
}
