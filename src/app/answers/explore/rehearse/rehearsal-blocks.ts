import { counted, sumOfKnown } from '../../../../core/text/amounts.ts';
import { type Block, line, type Rest, section, tableOf } from '../../presentation/blocks.ts';
import { reasonWords } from '../../presentation/reason-words.ts';
import { crawlCell } from '../compare/compared-crawls.ts';
import type { Rehearsal } from './read-rehearsal.ts';
import type { RehearsedAgent } from './rehearse-robots.ts';

/** Rows of a list on a terminal. */
const FIRST = 10;

/** @param command the command of the rehearsal, without a part */
export function rehearsalBlocks(rehearsal: Rehearsal, command: string): readonly Block[] {
  const { crawl, change, notes, figures, pages, sitemaps } = rehearsal;
  const rest = (part: string, total: number, noun: string): Rest => {
    return { total, noun, first: FIRST, command: `${command} --part ${part} --format csv`, address: null };
  };
  return [
    line([`${crawl.project}: ${change.given} rehearsed on `, crawlCell(crawl)]),
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
          { name: 'Clicks', kind: 'count', of: ({ clicks }) => clicks },
          { name: 'Verified hits', kind: 'count', of: ({ hits }) => hits },
        ],
        figures,
        { cause: { name: 'Why', of: ({ why }) => why }, isCut: true },
      ),
    ),
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
        alike(rehearsal.agents),
        { isCut: true },
      ),
    ),
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
          { name: 'Clicks', kind: 'count', of: ({ clicks }) => clicks },
          { name: 'Verified hits', kind: 'count', of: ({ hits }) => hits },
        ],
        pages,
        { empty: 'No page changes.', rest: rest('pages', pages.length, 'page'), isCut: true },
      ),
    ),
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
  ];
}

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
