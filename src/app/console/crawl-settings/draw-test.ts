import { counted, countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { table } from '../../answers/presentation/html-table.ts';
import type { UrlTest } from './test-url.ts';

type Hop = UrlTest['hops'][number];

/** What a crawl does with a URL. */
const STATES: Readonly<Record<Hop['state'], string>> = {
  fetched: 'fetched',
  failed: 'no answer',
  denied: 'not fetched: blocked by robots.txt',
  no_robots: 'not fetched: robots.txt is unavailable',
  outside: 'not fetched: not a URL of this website',
  left_out: 'not fetched: these settings leave it out',
};

const REASONS: Readonly<Record<string, string>> = {
  status: 'its status is not 200',
  redirect: 'a meta refresh redirects it',
  noindex: 'noindex',
  canonicalised: 'its canonical is another URL',
};

export function drawTest({ url, problem, hops, page }: UrlTest): Html {
  return html`<section aria-labelledby="tested"><h2 id="tested">Test of ${url}</h2>
<p class="facts">The test stored nothing.</p>
${problem === null ? null : html`<p class="notice">The test ended without a result. ${problem}</p>`}
${hops.length === 0 ? null : table('Requests', HOP_COLUMNS, hops, '')}
${page === null ? null : table('Page', PAGE_COLUMNS, [...factsOf(page), ...scrapedOf(page)], '')}
</section>
`;
}

const HOP_COLUMNS = [
  { name: 'URL', cell: ({ url }: Hop) => url },
  {
    name: 'crawl',
    cell: ({ state, error }: Hop) => `${STATES[state]}${error === null ? '' : ` (${error})`}`,
  },
  { name: 'status', isNumber: true, cell: ({ status }: Hop) => status },
  { name: 'robots.txt', cell: ruleText },
  { name: 'type', cell: ({ content_type }: Hop) => content_type },
  { name: 'bytes', isNumber: true, cell: ({ bytes }: Hop) => (bytes === null ? null : countText(bytes)) },
  { name: 'ms', isNumber: true, cell: ({ milliseconds }: Hop) => milliseconds },
];

function ruleText({ rule, state }: Hop): string | null {
  if (state === 'outside' || state === 'left_out' || state === 'no_robots') return null;
  const verdict = state === 'denied' ? 'blocked' : 'allowed';
  return rule === null ? `${verdict}: no rule matches` : `${verdict} by line ${rule.line}: ${rule.text}`;
}

interface Fact {
  readonly name: string;
  readonly value: string | null;
}

const PAGE_COLUMNS = [
  { name: 'field', cell: ({ name }: Fact) => name },
  { name: 'value', cell: ({ value }: Fact) => value },
];

type Page = NonNullable<UrlTest['page']>;

function factsOf({ title, canonical, meta_robots, is_indexable, not_indexable, warnings }: Page): Fact[] {
  const reason = not_indexable === null ? '' : `: ${lookUp(REASONS, not_indexable) ?? not_indexable}`;
  const indexable = is_indexable === null ? 'unknown: not a page' : is_indexable ? 'yes' : `no${reason}`;
  return [
    { name: 'Title', value: title },
    { name: 'Canonical', value: canonical },
    { name: 'Robots directives', value: meta_robots.join(', ') || null },
    { name: 'Indexable', value: indexable },
    ...(warnings.length === 0
      ? []
      : [{ name: counted(warnings.length, 'warning'), value: warnings.join(', ') }]),
  ];
}

function scrapedOf({ scraped }: Page): Fact[] {
  return scraped.map(({ field, value }) => ({ name: field, value: value ?? 'no value' }));
}
