import type { Row } from '../sites/sites.ts';
import { type Asked, crawlsAsked, type Facts, named } from './facts.ts';
import { isDuplicate } from './figures.ts';
import { inAnySegment, isLoop } from './links.ts';
import { isOrphan } from './orphans.ts';
import type { Page } from './pages.ts';
import { num, rounded, str } from './values.ts';
import { totalsOf } from './visits.ts';

interface Worth {
  readonly clicks: number | null;
  readonly impressions: number | null;
  readonly botHits: number | null;
  readonly isOrphan: boolean;
}

type Severity = 'high' | 'medium' | 'low';
const WEIGHTS: Readonly<Record<Severity, number>> = { high: 1, medium: 0.6, low: 0.3 };

const above = (value: number | null, limit: number): boolean => value !== null && value > limit;
const hops = ({ row }: Page): number | null => num(row, 'redirect_count');

/** Reasons that are issues of their own. */
const ANSWERED: readonly string[] = ['redirect', 'client_error', 'server_error'];

const ISSUES: readonly (readonly [string, Severity, (page: Page, worth: Worth) => boolean])[] = [
  ['server_error', 'high', ({ reason }) => reason === 'server_error'],
  [
    'client_error',
    'high',
    ({ reason, inlinks }, { impressions, botHits }) =>
      reason === 'client_error' && [inlinks, impressions, botHits].some((value) => above(value, 0)),
  ],
  ['redirect_loop', 'high', isLoop],
  ['redirect_chain', 'medium', (page) => above(hops(page), 1) && !isLoop(page)],
  ['linked_redirect', 'low', ({ reason, inlinks }) => reason === 'redirect' && above(inlinks, 0)],
  [
    'demand_not_indexable',
    'high',
    ({ reason }, { impressions }) => reason !== null && !ANSWERED.includes(reason) && above(impressions, 0),
  ],
  ['orphan', 'medium', ({ isIndexable }, worth) => isIndexable === true && worth.isOrphan],
  ['duplicate', 'medium', (page) => page.isIndexable === true && isDuplicate(page)],
  ['missing_title', 'medium', (page) => isNotSet(page, 'title')],
  ['missing_h1', 'low', (page) => isNotSet(page, 'h1')],
  ['missing_description', 'low', (page) => isNotSet(page, 'description')],
  ['thin', 'low', ({ isIndexable, row }) => isIndexable === true && (num(row, 'word_count') ?? 300) < 300],
  ['slow', 'medium', ({ status, row }) => status === 200 && above(num(row, 'load_time'), 1000)],
  [
    'deep_with_clicks',
    'medium',
    ({ isIndexable, depth }, { clicks }) => isIndexable === true && above(depth, 3) && above(clicks, 0),
  ],
];

const isNotSet = ({ isIndexable, row }: Page, field: string): boolean =>
  isIndexable === true && str(row, `${field}_evaluation`) === 'not_set';

/** The share of the others that have less. */
function rank(values: readonly number[], value: number): number {
  return values.length === 1 ? 0 : values.filter((other) => other < value).length / (values.length - 1);
}

/** Without the words of why and fix, which no rule tells. */
export const q32 = (facts: Facts, asked: Asked): Row[] =>
  crawlsAsked(facts, asked).flatMap(({ project, crawl }) => {
    if (!crawl.isLatest) return [];
    const totals = totalsOf(project, crawl);
    const worth = new Map(
      crawl.allPages.map((page): [Page, Worth] => {
        const demand = project.searches.demand.get(page.url);
        return [
          page,
          {
            clicks: demand?.clicks ?? null,
            impressions: demand?.impressions ?? null,
            botHits: totals.asked.has(page.url) ? totals.search(page.url) : null,
            isOrphan: isOrphan(crawl, page),
          },
        ];
      }),
    );
    const all = [...worth];
    const values = {
      demand: all.map(([, { impressions }]) => impressions ?? 0),
      bots: all.map(([, { botHits }]) => botHits ?? 0),
      inrank: all.map(([{ inrank }]) => inrank ?? 0),
    };
    return all
      .filter(([page]) => inAnySegment(page, asked))
      .flatMap(([page, one]) => {
        const value =
          50 * rank(values.demand, one.impressions ?? 0) +
          30 * rank(values.bots, one.botHits ?? 0) +
          20 * rank(values.inrank, page.inrank ?? 0);
        return ISSUES.filter(([, , holds]) => holds(page, one)).map(([issue, severity]) => ({
          ...named(crawl),
          priority: rounded(value * WEIGHTS[severity], 0),
          ...{ issue, severity, url: page.url, clicks: one.clicks, impressions: one.impressions },
          ...{ search_bot_hits: one.botHits, inrank_decimal: page.inrank },
        }));
      });
  });
