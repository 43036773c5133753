import { z } from 'zod';
import { html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { table } from '../../answers/presentation/html-table.ts';
import { timeText } from '../../answers/presentation/marks.ts';
import { SharedLink } from '../access/shared-links.ts';
import { askAddress } from '../layout/ask-address.ts';
import { csrfField } from '../layout/shell.ts';
import { page } from '../page-parts/console-page.ts';

const LinksPage = z.strictObject({
  links: z.array(SharedLink),
  /** The address of a link that this person just made; null: none. */
  made: z.string().nullable(),
});

/** The shared links, with a button to revoke each. */
export const LINKS = page<Typed<typeof LinksPage>>({
  path: '/links',
  summary: 'The links that serve the rows of a statement without a session.',
  query: { made: 'The key of a link that was just made.' },
  schema: LinksPage,
  async read(request, readers) {
    const { query, session, shared } = request;
    const made = readers.texts.find(session.subject, query.get('made') ?? '') ?? null;
    return { links: [...shared.list()], made };
  },
  draw({ links, made }, { session, canAct }) {
    return {
      title: 'Links',
      body: html`<h1>Links</h1>
<p class="facts">Anyone who has the address of a link can read its rows, without signing in, until you revoke the link.</p>
${
  made === null
    ? null
    : html`<div class="notice" role="status"><p>The address is shown only now. Copy it:</p>
<p><code><a href="${made}">${made}</a></code></p>
<p>In Google Sheets: <code>=IMPORTDATA("${made.startsWith('/') ? `https://YOUR-CONSOLE${made}` : made}")</code></p>
${made.startsWith('/') ? html`<p>Google can only reach a console with a public address (<code>console_url</code>).</p>` : null}</div>`
}
${table(
  'Links',
  [
    {
      name: 'link',
      cell: ({ title, query }) => html`<a href="${askAddress(new URLSearchParams(query), {})}">${title}</a>`,
    },
    { name: 'made by', cell: ({ made_by }) => made_by },
    { name: 'made (UTC)', cell: ({ made_at }) => timeText(made_at) },
    { name: 'last used (UTC)', cell: ({ used_at }) => timeText(used_at) },
    {
      name: 'action',
      cell: ({ id, title }) =>
        canAct
          ? html`<form method="post" action="/links/${id}/revoke">${csrfField(session.csrf)}<button type="submit" aria-label="Revoke ${title}">Revoke</button></form>`
          : null,
    },
  ],
  links,
  'There are no links. Owners make links below an answer of Ask, or below a list of pages.',
)}`,
    };
  },
});
