import { type Html, html } from '../../../core/text/html.ts';

interface Tab {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

export function drawTabs(label: string, tabs: readonly Tab[]): Html {
  return html`<nav class="tabs" aria-label="${label}"><ul>${tabs.map(
    ({ name, href, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${name}</a></li>`,
  )}</ul></nav>
`;
}
