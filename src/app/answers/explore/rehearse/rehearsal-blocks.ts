import { counted, sumOfKnown } from '../../../../core/text/amounts.ts';
import { type Block, type ColumnOf, line, type Rest, section, tableOf } from '../../presentation/blocks.ts';
import { reasonWords } from '../../presentation/reason-words.ts';
import { crawlCell } from '../compare/compared-crawls.ts';
import type { Rehearsal } from './read-rehearsal.ts';
import type { RehearsedRedirect } from './rehearse-redirects.ts';
import type { RehearsedAgent } from './rehearse-robots.ts';

/** Rows of a list on a terminal. */
const FIRST = 10;

/** @param command the command of the rehearsal, without a part */
export function rehearsalBlocks(rehearsal: Rehearsal, command: string): readonly Block[] {
  const { crawl, change, notes, figures, pages, sitemaps, links, redirects } = rehearsal;
  const isNoindex = change.kind === 'noindex';
  const rest = (part: string, total: number, noun: string): Rest => {
    return { total, noun, first: FIRST, command: `${command} --part ${part} --format csv`, address: null };
  };
  const reasoned = (figure: string, isEmpty: boolean, block: Block): Block => {
    const why = figures.find((one) => one.figure === figure)?.why ?? null;
    if (why === null || block.is !== 'section') return block;
    const reason = line(`${isEmpty ? 'Unknown' : 'Incomplete'}: ${why}.`, 'notice');
    return section(block.title, reason, ...(isEmpty ? [] : block.blocks));
  };
  return [
    line([`${crawl.project}: ${changeWords(change)} rehearsed on `, crawlCell(crawl)]),
    ...notes.map((note) => line(note, 'notice')),
    line(daysText('Clicks', rehearsal.clicks)),
    line(daysText('Verified hits', rehearsal.hits)),
    section(
      'Figures',
      tableOf(
        'Figures',
        [
          { name: 'What', of: ({ title }) => title },
          { name: 'Count', kind: 'count', of: ({ count }) => count },
          ...foundColumns(isNoindex),
        ],
        figures,
        { cause: { name: 'Why', of: ({ why }) => why }, isCut: true },
      ),
    ),
    ...(change.kind === 'robots' ? [robotsSection(rehearsal)] : []),
    ...(change.kind === 'redirects'
      ? [redirectsSection(redirects, rest('redirects', redirects.length, 'redirect'))]
      : []),
    section(
      'Pages',
      tableOf(
        'Pages',
        [
          { name: 'URL', of: ({ url }) => url },
          { name: 'Change', of: ({ change }) => change },
          {
            name: 'State',
            of: ({ state_before, state_after }) => fromTo(stateWords(state_before), stateWords(state_after)),
          },
          { name: 'Depth', of: ({ depth_before, depth_after }) => fromTo(depth_before, depth_after) },
          ...foundColumns(isNoindex),
        ],
        pages,
        { empty: 'No page changes.', rest: rest('pages', pages.length, 'page'), isCut: true },
      ),
    ),
    reasoned(
      'sitemaps',
      sitemaps.length === 0,
      section(
        'Sitemaps',
        tableOf(
          'Sitemaps',
          [
            { name: 'URL', of: ({ url }) => url },
            { name: 'Sitemap', of: ({ sitemap }) => sitemap },
            { name: 'Action', of: ({ action }) => action },
          ],
          sitemaps,
          {
            empty: 'No entry is to be changed.',
            rest: rest('sitemaps', sitemaps.length, 'entry'),
            isCut: true,
          },
        ),
      ),
    ),
    ...(change.kind === 'robots'
      ? []
      : [
          reasoned(
            'links',
            links.length === 0,
            linksSection(links, isNoindex, rest('links', links.length, 'reference')),
          ),
        ]),
  ];
}

function changeWords({ kind, given }: Rehearsal['change']): string {
  if (kind === 'remove') return `removal of pages where ${given},`;
  return kind === 'noindex' ? `noindex on pages where ${given},` : given;
}

type Found = Readonly<Record<'clicks' | 'impressions' | 'hits', number | null>>;
function foundColumns(withImpressions: boolean): readonly ColumnOf<Found>[] {
  return [
    { name: 'Clicks', kind: 'count', of: ({ clicks }) => clicks },
    ...(withImpressions
      ? [{ name: 'Impressions', kind: 'count', of: ({ impressions }: Found) => impressions } as const]
      : []),
    { name: 'Verified hits', kind: 'count', of: ({ hits }) => hits },
  ];
}

const robotsSection = ({ agents }: Rehearsal): Block =>
  section(
    'Robots',
    tableOf(
      'Robots',
      [
        { name: 'Purpose', of: ({ purpose }) => purpose },
        { name: 'Robots', of: ({ names }) => names },
        { name: 'Blocked before', kind: 'count', of: ({ blocked_before }) => blocked_before },
        { name: 'After', kind: 'count', of: ({ blocked_after }) => blocked_after },
        { name: 'Lost', kind: 'count', of: ({ lost }) => lost },
        { name: 'Gained', kind: 'count', of: ({ gained }) => gained },
        { name: 'Verified hits lost', kind: 'count', of: ({ hits }) => hits },
      ],
      alike(agents),
      { isCut: true },
    ),
  );

const redirectsSection = (redirects: readonly RehearsedRedirect[], rest: Rest): Block =>
  section(
    'Redirects',
    tableOf(
      'Redirects',
      [
        { name: 'URL', of: ({ url }) => url },
        { name: 'Final URL', of: ({ final_url }) => final_url ?? 'loop' },
        { name: 'Hops', of: ({ hops_before, hops_after }) => fromTo(hops_before, hops_after) },
        { name: 'State', of: finalState },
      ],
      redirects,
      { empty: 'No redirect changes.', rest, isCut: true },
    ),
  );

const finalState = ({ final_url, final_state, is_final_in_crawl }: RehearsedRedirect) =>
  final_url === null || is_final_in_crawl ? stateWords(final_state) : 'not in the crawl';

const linksSection = (links: Rehearsal['links'], isNoindex: boolean, rest: Rest): Block =>
  section(
    isNoindex ? 'Canonicals and hreflang links' : 'Links and other references',
    tableOf(
      'Links',
      [
        { name: 'Source', of: ({ source }) => source },
        { name: 'Target', of: ({ target }) => target },
        { name: 'Kind', of: ({ kind }) => kind },
        { name: 'Action', of: ({ action }) => action },
      ],
      links,
      { empty: 'No reference is to be updated.', rest, isCut: true },
    ),
  );

/** Returns the value, or the old and the new one; a dash is an unknown one. */
function fromTo(before: string | number | null, after: string | number | null): string | null {
  if (before === after) return before === null ? null : String(before);
  return `${before ?? '-'} → ${after ?? '-'}`;
}

const stateWords = (state: string | null): string | null =>
  state === null ? null : state === 'robots_denied' ? 'blocked' : reasonWords(state);

function daysText(what: string, { covered, why }: Rehearsal['clicks']): string {
  if (covered === null) return `${what} are unknown: ${why}.`;
  const { from, to, days } = covered;
  return `${what} cover ${counted(days, 'day')} from ${from} to ${to}.`;
}

/** Returns robots with the same purpose and figures as one row, with the sum of their hits if they are known. */
function alike(agents: readonly RehearsedAgent[]): readonly (RehearsedAgent & { readonly names: string })[] {
  const groups = Map.groupBy(agents, ({ agent: _, hits, ...figures }) =>
    JSON.stringify([figures, hits === null]),
  );
  return groups
    .values()
    .flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const hits = sumOfKnown(own.map((one) => one.hits));
      return [{ ...first, hits, names: own.map(({ agent }) => agent).join(', ') }];
    })
    .toArray();
}
