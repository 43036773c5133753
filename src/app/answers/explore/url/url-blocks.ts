import { counted, countText } from '../../../../core/text/amounts.ts';
import { cutToWidth } from '../../../../core/text/display-width.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import {
  type Block,
  type Cell,
  type ColumnOf,
  line,
  type Rest,
  type Section,
  type ShownValue,
  section,
  tableOf,
} from '../../presentation/blocks.ts';
import { reasonWords } from '../../presentation/reason-words.ts';
import { columnName } from '../../presentation/value-text.ts';
import { isPageChange } from '../compare/page-comparison.ts';
import { scopeLines } from '../scope-lines.ts';
import type { OtherUrl, UrlPage } from './read-page.ts';
import type { UrlStory } from './read-url.ts';
import { depthText, statusText, unknownText, why, whyUnread } from './unread-words.ts';

/** Rows of a part, next to the other parts, on a terminal. */
const FIRST_ROWS = 10;
/** About the width of a result on a wide screen; a full-width character counts as two. */
const TITLE_WIDTH = 60;
const DESCRIPTION_WIDTH = 155;
const NO_DESCRIPTION = 'no description: search engines choose a text';

/** Everything known about a URL: the page, then each part with its first rows, or why it has none. */
export function urlBlocks(story: UrlStory): readonly Block[] {
  const { page } = story;
  return [
    ...scopeLines(story.crawl.scope_note),
    section('Now', ...(page === null ? [line(why(story, 'page'), 'notice')] : pageFacts(story, page))),
    ...(page === null ? [] : [section('As a search result', ...searchResult(story, page))]),
    issues(story),
    history(story),
    links(story, 'inlinks'),
    links(story, 'outlinks'),
    section('Visits', ...visits(story)),
    section('Demand', ...demandOf(story)),
    hreflangs(story),
    similarPages(story),
    structuredData(story),
  ];
}

/** Returns the command that shows the URL or, with more flags, a part of it. */
export function urlCommand({ url, crawl }: UrlStory, ...flags: readonly string[]): string {
  const [address, project, id] = [url, crawl.project_id, crawl.crawl_id].map(shellWord);
  return ['crawlhouse url', address, '--project', project, '--crawl', id, ...flags].join(' ');
}

function pageFacts(story: UrlStory, page: UrlPage): readonly Block[] {
  const { redirects, canonical } = story;
  const facts: readonly (readonly [string, Cell])[] = [
    ['HTTP status', statusText(page)],
    ...(redirects === null ? [] : redirectFacts(story, redirects)),
    ['Indexability', indexability(page) ?? 'unknown'],
    ['Canonical', canonicalCell(story, canonical)],
    ['Crawl depth', depthText(story.crawl, page)],
    ['Inlinks', page.nb_inlinks === null ? 'unknown' : countText(page.nb_inlinks)],
    ['H1', page.h1],
  ];
  const all = Object.entries(page).map(
    ([name, value]) =>
      [columnName(name), typeof value === 'object' ? JSON.stringify(value) : String(value)] as const,
  );
  return [
    factsOf(facts),
    {
      is: 'folded',
      title: 'All fields',
      command: urlCommand(story, '--json'),
      blocks: [
        factsOf(all.filter(([, text]) => text !== 'null')),
        line('Fields without a value are left out.'),
      ],
    },
  ];
}

/** Omits facts that the page does not have. */
function factsOf(facts: readonly (readonly [string, Cell])[]): Block {
  return { is: 'facts', title: null, facts: facts.filter(([, value]) => value !== null) };
}

function redirectFacts(
  story: UrlStory,
  { hops, final_url, final_status_code, is_loop, is_cut }: NonNullable<UrlStory['redirects']>,
): readonly (readonly [string, Cell])[] {
  const end = is_loop
    ? 'a loop'
    : is_cut
      ? 'more than 16 redirects'
      : `status ${final_status_code ?? 'unknown'}`;
  const each = hops.map(({ status_code, target }, index) => {
    return [`Hop ${index + 1}`, [`${status_code}: `, pageLink(story, target)]] as const;
  });
  return [
    ['Leads to', [pageLink(story, final_url), ` (${end}, ${counted(hops.length, 'hop')})`]],
    ...(hops.length < 2 ? [] : each),
  ];
}

function canonicalCell(story: UrlStory, canonical: OtherUrl | null): Cell {
  if (canonical === null) return story.page?.canonical_kind === 'not_set' ? 'none is set' : null;
  return canonical.url === story.url
    ? 'itself'
    : [pageLink(story, canonical.url), ` (${statusOf(canonical)})`];
}

function statusOf(page: Pick<OtherUrl, 'status_code' | 'is_indexable'> & Partial<OtherUrl>): string {
  if (page.is_in_crawl === false) return 'not in this crawl';
  const status = page.status_code === null ? 'status unknown' : `status ${page.status_code}`;
  return page.is_indexable === false ? `${status}, not indexable` : status;
}

function searchResult(story: UrlStory, page: UrlPage): readonly Block[] {
  const { title, meta_description: text } = page;
  const unread = whyUnread(page);
  if (unread !== null && title === null && text === null) return [line(`Not read: ${unread}.`)];
  const withLength = (whole: string | null, width: number | null): string | null => {
    if (whole === null) return null;
    const { length } = [...whole];
    return `${whole} (${counted(length, 'character')}${Number(width) > length ? `, ${Number(width)} wide` : ''})`;
  };
  return [
    {
      is: 'preview',
      address: story.url,
      title:
        title === null
          ? (unknownText(story, 'title') ?? { value: 'no title', tone: 'bad' })
          : { value: cutToWidth(title, TITLE_WIDTH) },
      text:
        text === null
          ? (unknownText(story, 'meta_description') ?? { value: NO_DESCRIPTION, tone: 'warn' })
          : { value: cutToWidth(text, DESCRIPTION_WIDTH) },
    },
    factsOf([
      ['Title', withLength(title, page.title_width)],
      ['Description', withLength(text, page.description_width)],
    ]),
  ];
}

function issues(story: UrlStory): Section {
  const { project_id, crawl_id: crawl } = story.crawl;
  return part(story, ['issues', 'Issues'], story.issues, [
    {
      name: 'Issue',
      of: ({ issue, title }) => ({
        value: title,
        link: { to: 'pages', project_id, parts: { crawl, issue } },
      }),
    },
    { name: 'Severity', kind: 'severity', of: ({ severity }) => severity },
    { name: 'Found', of: (one) => one.why },
    ...(story.issues.some(({ related_url: other }) => other !== null) ? [otherUrl(story)] : []),
    { name: 'Why it matters', isBelow: true, of: (one) => one.why_it_matters },
    { name: 'To do', isBelow: true, of: ({ fix }) => fix },
  ]);
}

/** Returns the other page of a relation. */
const otherUrl = (story: UrlStory): ColumnOf<UrlStory['issues'][number]> => ({
  name: 'Other URL',
  of: ({ related_url: url }) => (url === null ? null : pageLink(story, url)),
});

function history(story: UrlStory): Section {
  return part(story, ['history', 'History'], story.history, [
    {
      name: 'Crawl',
      of: ({ crawl_id, crawl_number, ended_at }) => ({
        value: ended_at?.slice(0, 10) ?? crawl_id,
        link: { to: 'crawl', crawl_id, crawl_number, ended_at },
      }),
    },
    {
      name: 'Status',
      of: (entry) => (entry.is_in_crawl ? statusText(entry) : { value: notThere(entry), tone: 'warn' }),
    },
    { name: 'Indexability', of: indexability },
    { name: 'Crawl depth', kind: 'count', of: ({ depth }) => depth },
    { name: 'Inlinks', kind: 'count', of: ({ nb_inlinks }) => nb_inlinks },
    { name: 'Title', of: ({ title }) => title },
    { name: 'Changes', isBelow: true, of: changesCell },
  ]);
}

export const notThere = ({ has_all_links }: Pick<UrlStory['history'][number], 'has_all_links'>): string =>
  has_all_links === false ? 'not in it (incomplete)' : 'not in it';

/** Returns where a page is now, or why that is unknown. */
function wayOf(after: UrlStory['history'][number]['changes'][number]['after']): string {
  if (after === null) return '';
  const text = String(after);
  return /^https?:/.test(text) ? ` to ${text}` : ` (${reasonWords(text)})`;
}

function changesCell({ changes, previous_crawl_id }: UrlStory['history'][number]): Cell {
  if (previous_crawl_id === null) return 'not compared';
  if (changes.length === 0) return null;
  const text = (value: unknown) => String((typeof value === 'boolean' ? yesOrNo(value) : value) ?? '–');
  return changes.flatMap(({ change, before, after }, index) => [
    `${index === 0 ? '' : '; '}${columnName(change)}`,
    ...(isPageChange(change)
      ? [wayOf(after)]
      : [
          ': ',
          { value: text(before), tone: 'before' } as const,
          ' → ',
          { value: text(after), tone: 'after' } as const,
        ]),
  ]);
}

function links(story: UrlStory, end: 'inlinks' | 'outlinks'): Section {
  const isIn = end === 'inlinks';
  const { rows, total, different } = story[end];
  const noun = total === different ? 'link' : 'different link';
  type Row = (typeof rows)[number];
  const other = (row: Row): Cell => {
    if ('origin' in row) return pageLink(story, row.origin);
    return row.is_internal === false ? row.target : pageLink(story, row.target);
  };
  const address = linksAddress(story, isIn ? 'target' : 'origin');
  return part<Row>(
    story,
    [end, columnName(`nb_${end}`), { total: different ?? 0, noun, address }, total ?? 0],
    rows,
    [
      { name: isIn ? 'From' : 'To', of: other },
      ...(total === different
        ? []
        : [{ name: 'Times', kind: 'count', of: (row: Row) => row.links } as const]),
      { name: 'Anchor', of: ({ anchor }) => anchor },
      { name: 'Follow', of: ({ follow }) => yesOrNo(follow) },
      { name: 'Place', of: ({ link_position: place }) => place && words(place) },
      { name: 'Status', of: ({ status_code }) => status_code },
      { name: 'Indexability', of: ({ is_indexable }) => yesOrNo(is_indexable) },
      ...(isIn ? [{ name: 'Crawl depth', of: (row: Row) => ('depth' in row ? row.depth : null) }] : []),
    ],
  );
}

/** Returns the SQL of all links of a crawl from a URL, or to it. */
export function linksSql(end: 'origin' | 'target'): string {
  const other = end === 'origin' ? 'target' : 'origin';
  return `SELECT ${other}, anchor, follow, link_position, target_status
FROM mart.links WHERE crawl_id = $crawl AND ${end} = $url${end === 'target' ? ' AND origin <> target' : ''} ORDER BY ${other}, anchor`;
}

/** Returns the download of all links to the URL, or of all links on it. */
function linksAddress({ crawl, url }: UrlStory, end: 'origin' | 'target'): string {
  const values = { 'param.crawl': crawl.crawl_id, 'param.url': url, format: 'csv' };
  return `/ask/download?${new URLSearchParams({ sql: linksSql(end), ...values })}`;
}

function visits(story: UrlStory): readonly Block[] {
  const { hits, url } = story;
  if (hits === null) return [line(why(story, 'hits'))];
  const { from, to, days, bots } = hits;
  const all = days.reduce((sum, one) => sum + (one.hits ?? 0), 0);
  const without = days.filter(({ has_logs }) => !has_logs).length;
  const logged = `${counted(days.length - without, 'day')} with log files${without === 0 ? '' : `, ${countText(without)} without`}`;
  return [
    line(`${counted(all, 'request')} from ${from.slice(0, 10)} to ${to.slice(0, 10)}: ${logged}.`),
    {
      is: 'chart',
      label: `Visits of ${url}`,
      command: urlCommand(story, '--part hits'),
      lines: ['Search bots', 'AI bots', 'People'],
      table: tableOf(
        'Visits by day',
        [
          { name: 'Day', of: ({ day }) => day.slice(0, 10) },
          { name: 'All', of: (one) => (one.has_logs ? one.hits : 'no logs') },
          { name: 'Search bots', of: (one) => one.search_bot_hits },
          { name: 'Google', of: (one) => one.google_bot_hits },
          { name: 'Bing', of: (one) => one.bing_bot_hits },
          { name: 'AI bots', of: (one) => one.ai_bot_hits },
          { name: 'Unverified', of: (one) => one.unverified_bot_hits },
          { name: 'People', of: (one) => one.visits },
          { name: 'Last status', of: (one) => one.last_status_code },
        ],
        days,
      ),
    },
    tableOf(
      'Bots',
      [
        { name: 'Bot', of: ({ engine, bot_class }) => engine ?? words(bot_class) },
        { name: 'Kind', of: ({ bot_class }) => words(bot_class) },
        { name: 'Requests', kind: 'count', of: (one) => one.hits },
        { name: 'Last day', of: ({ last_day }) => last_day.slice(0, 10) },
      ],
      bots,
      { empty: 'No bot requested this page on these days.' },
    ),
  ];
}

function demandOf(story: UrlStory): readonly Block[] {
  const { demand, url } = story;
  if (demand === null) return [line(why(story, 'demand'))];
  const { from, to, clicks, impressions, days, queries } = demand;
  const figures: readonly ColumnOf<Omit<(typeof queries)[number], 'query'>>[] = [
    { name: 'Clicks', kind: 'count', of: (one) => one.clicks },
    { name: 'Impressions', kind: 'count', of: (one) => one.impressions },
    { name: 'Position', of: ({ position }) => position && Math.round(Number(position) * 10) / 10 },
  ];
  return [
    line(
      `${counted(clicks, 'click')} and ${counted(impressions, 'impression')} in search results from ${from.slice(0, 10)} to ${to.slice(0, 10)}.`,
    ),
    {
      is: 'chart',
      label: `Demand for ${url}`,
      command: urlCommand(story, '--part demand'),
      lines: ['Clicks', 'Impressions'],
      table: tableOf('Demand by day', [{ name: 'Day', of: ({ day }) => day.slice(0, 10) }, ...figures], days),
    },
    tableOf('Queries', [{ name: 'Query', of: ({ query }) => query }, ...figures], queries, {
      empty: 'No queries are loaded.',
    }),
  ];
}

function hreflangs(story: UrlStory): Section {
  return part(story, ['hreflangs', 'Language versions'], story.hreflangs, [
    { name: 'Language', of: ({ lang }) => lang },
    { name: 'Page', of: ({ url }) => pageLink(story, url) },
    { name: 'Status', of: ({ status_code }) => status_code },
    { name: 'Indexability', of: ({ is_indexable }) => yesOrNo(is_indexable) },
    { name: 'Links back', of: ({ returns }) => yesOrBad(returns) },
  ]);
}

function similarPages(story: UrlStory): Section {
  const { rows, total } = story.similar;
  return part(story, ['similar', 'Similar pages', { total: total ?? 0, noun: 'page' }], rows, [
    { name: 'Page', of: ({ url }) => pageLink(story, url) },
    { name: 'Title', of: ({ title }) => title },
    { name: 'Status', of: statusOf },
    { name: 'Canonical', of: ({ canonical_url }) => canonical_url },
  ]);
}

function structuredData(story: UrlStory): Section {
  return part(story, ['structured_data', 'Structured data'], story.structured_data, [
    { name: 'Type', of: ({ type }) => type },
    { name: 'Format', of: ({ format }) => format },
    { name: 'Valid', of: ({ valid }) => yesOrBad(valid) },
    { name: 'Missing', of: ({ missing_properties: missing }) => missing?.join(', ') ?? null },
  ]);
}

type RowsPart = readonly [
  name: keyof UrlStory['empty'],
  title: string,
  rest?: Partial<Pick<Rest, 'total' | 'noun' | 'address'>>,
  /** The number of links that the rows represent, if larger. */
  all?: number,
];

function part<T>(
  story: UrlStory,
  [name, title, more = {}, all]: RowsPart,
  rows: readonly T[],
  columns: readonly ColumnOf<T>[],
): Section {
  const { total = rows.length, noun = 'row', address = null } = more;
  const rest = { total, noun, address, first: FIRST_ROWS, command: urlCommand(story, `--part ${name}`) };
  const table = tableOf(title, columns, rows, { empty: why(story, name), rest, isCut: true });
  return section(total === 0 ? title : `${title}: ${countText(all ?? total)}`, table);
}

function pageLink({ crawl: { project_id, crawl_id } }: UrlStory, url: string): ShownValue {
  return { value: url, link: { to: 'url', project_id, url, crawl_id } };
}

function indexability({
  is_indexable,
  non_indexable_reason: reason,
}: Pick<UrlPage, 'is_indexable' | 'non_indexable_reason'>): Cell {
  if (is_indexable === null) return null;
  if (is_indexable) return { value: 'yes', tone: 'good' };
  return { value: `no: ${words(reason ?? 'the reason is unknown')}`, tone: 'bad' };
}

const yesOrNo = (is: boolean | null): Cell => (is === null ? null : is ? 'yes' : 'no');

const yesOrBad = (is: boolean | null): Cell => (is === false ? { value: 'no', tone: 'bad' } : yesOrNo(is));

const words = (name: string): string => name.replaceAll('_', ' ');
