import { type Html, html } from '../../../core/text/html.ts';

export interface Choice {
  readonly name: string;
  readonly label: string;
  /** Values, each with its text where that is another; without them a text is given. */
  readonly options?: readonly (string | { readonly value: string; readonly text: string })[];
  /** What no choice is called; null: one is always chosen. */
  readonly any?: string | null;
}

/**
 * A form that shows the same page with other parameters. Those that are no part of it stay, except the page. One of choices
 * alone sends itself (browser/console.ts); a browser that goes back shows what the address says, not what was chosen.
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
    ...options.map((one) => (typeof one === 'string' ? { value: one, text: one } : one)),
  ];
  // What an address asks for stays chosen, also where it is not offered.
  if (chosen !== '' && !entries.some(({ value }) => value === chosen))
    entries.push({ value: chosen, text: chosen });
  return html`<select name="${name}">${entries.map(({ value, text }) => option(value, chosen, text))}</select>`;
}

export function option(value: string, chosen: string | null, text = value): Html {
  return html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`;
}
