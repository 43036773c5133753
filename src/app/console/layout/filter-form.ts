import { type Html, html } from '../../../core/text/html.ts';

export interface Choice {
  readonly name: string;
  readonly label: string;
  /** Values, with their text if it differs; without options, a text field. */
  readonly options?: readonly (string | { readonly value: string; readonly text: string })[];
  /** The name for no choice; null: a choice is required. */
  readonly any?: string | null;
}

/**
 * Returns a form that loads the same page with other parameters. It keeps all other parameters except the page. A form
 * that contains only choices submits itself (browser/console.ts). After the user goes back, the browser shows the
 * choices in the address.
 */
export function filterForm(path: string, query: URLSearchParams, choices: readonly Choice[]): Html {
  const names = [...choices.map(({ name }) => name), 'page'];
  const others = [...query].filter(([name]) => !names.includes(name));
  const sends = choices.every(({ options }) => options !== undefined);
  return html`<form class="choose" method="get" action="${path}"${sends && html` data-sends autocomplete="off"`}>
${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${choices.map((choice) => html`<label>${choice.label} ${control(choice, query.get(choice.name) ?? '')}</label>\n`)}
<button type="submit">Show</button>
</form>
`;
}

function control({ name, options, any = 'all' }: Choice, chosen: string): Html {
  if (options === undefined) return html`<input type="search" name="${name}" value="${chosen}">`;
  const entries = [
    ...(any === null ? [] : [{ value: '', text: any }]),
    ...options.map((option) => (typeof option === 'string' ? { value: option, text: option } : option)),
  ];
  // A choice in the address stays selected even if it is not offered.
  if (chosen !== '' && !entries.some(({ value }) => value === chosen))
    entries.push({ value: chosen, text: chosen });
  return html`<select name="${name}">${entries.map(({ value, text }) => option(value, chosen, text))}</select>`;
}

export function option(value: string, chosen: string | null, text = value): Html {
  return html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`;
}
