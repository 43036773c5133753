import { z } from 'zod';
import { CrawlhouseError } from '../../../../../core/errors/errors.ts';
import { lookUp } from '../../../../../core/text/look-up.ts';
import { didYouMean } from '../../../../../core/text/nearest-name.ts';
import { checkYaml, yamlSource } from '../../../../../etl/project/settings/yaml-file.ts';

/** A condition on two matched pages: `former` in the first crawl, `later` in the second. */
export interface PageRule {
  readonly title: string;
  /** The `mart.pages` columns that both exports must contain. */
  readonly columns: readonly string[];
  /** SQL on `former`, `later` and `demand`, the clicks of the former page. */
  readonly broken: string;
  readonly before: string;
  readonly after: string;
  /** A condition on a page that the first crawl does not contain, although it read all links. */
  readonly added?: string;
  /** It needs search data of the first crawl. */
  readonly needsClicks?: true;
}

const WAS_OK = "former.status_code = 200 AND coalesce(former.observation, 'read') = 'read'";
const IS_OK = "later.status_code = 200 AND coalesce(later.observation, 'read') = 'read'";
/** A server error, also 503. The status of a challenge shows nothing about the page. */
const IS_ERROR =
  "later.status_code BETWEEN 500 AND 599 AND coalesce(later.observation_reason, '') <> 'forbidden'";
/** The path of the canonical, compared as in `canonical_kind`. */
const pathSql = (side: 'former' | 'later'): string =>
  `lower(regexp_replace(${side}.canonical_url, '^[^:]*://[^/?]*|/$', '', 'g'))`;
const STATUSES = {
  before: 'CAST(former.status_code AS VARCHAR)',
  after: 'CAST(later.status_code AS VARCHAR)',
};

const RULES = {
  'new-noindex': {
    title: 'The page now has noindex',
    columns: ['status_code', 'is_noindex'],
    broken: `${WAS_OK} AND NOT coalesce(former.is_noindex, false) AND ${IS_OK} AND later.is_noindex`,
    before: "'no noindex'",
    after: "'noindex'",
  },
  'lost-canonical': {
    title: 'The page no longer declares a canonical, or now declares another page',
    columns: ['status_code', 'canonical_kind'],
    broken: `${WAS_OK} AND ${IS_OK} AND former.canonical_kind <> 'not_set'
      AND (
        later.canonical_kind = 'not_set'
        OR later.canonical_kind = 'path'
          AND (former.canonical_kind <> 'path' OR ${pathSql('former')} <> ${pathSql('later')})
      )`,
    before: "coalesce(former.canonical_url, 'a canonical')",
    after: "coalesce(later.canonical_url, 'no canonical')",
  },
  'blocked-with-clicks': {
    title: 'robots.txt now blocks a page with clicks from search results',
    columns: ['is_robots_denied'],
    broken: `coalesce(former.observation, 'read') IN ('read', 'gone') AND NOT coalesce(former.is_robots_denied, false)
      AND later.is_robots_denied AND demand.clicks > 0`,
    before: "'allowed'",
    after: "'blocked by robots.txt'",
    needsClicks: true,
  },
  'new-404': {
    title: 'The page now returns 404 or 410',
    columns: ['status_code'],
    broken: 'former.is_read AND former.status_code NOT IN (404, 410) AND later.status_code IN (404, 410)',
    ...STATUSES,
    added: 'later.status_code IN (404, 410)',
  },
  'new-5xx': {
    title: 'The page now returns a server error',
    columns: ['status_code'],
    broken: `former.is_read AND former.status_code < 500 AND ${IS_ERROR}`,
    ...STATUSES,
    added: IS_ERROR,
  },
  'new-redirect': {
    title: 'The page now redirects',
    columns: ['status_code'],
    broken: `${WAS_OK} AND later.is_read AND later.status_code BETWEEN 300 AND 399`,
    before: STATUSES.before,
    after: "CAST(later.status_code AS VARCHAR) || coalesce(' to ' || later.redirect_location, '')",
  },
  'lost-title': {
    title: 'The page no longer has a title',
    columns: ['status_code', 'title'],
    broken: `${WAS_OK} AND ${IS_OK} AND trim(coalesce(former.title, '')) <> '' AND trim(coalesce(later.title, '')) = ''`,
    before: 'former.title',
    after: "'no title'",
  },
} as const satisfies Readonly<Record<string, PageRule>>;

const IS_LOST = `former.is_indexable AND NOT later.is_indexable AND former.is_read
  AND (later.is_read OR later.observation_reason = 'blocked_by_robots')`;

/** The rules of a file that count lost pages or clicks. */
const LOSSES = {
  indexable_pages: {
    title: 'The page is no longer indexable',
    columns: ['is_indexable'],
    broken: IS_LOST,
    before: "'indexable'",
    after: 'later.non_indexable_reason',
  },
  clicks_at_risk: {
    title: 'A page with clicks from search results is no longer indexable',
    columns: ['is_indexable'],
    broken: `${IS_LOST} AND demand.clicks > 0`,
    before: "'indexable'",
    after: 'later.non_indexable_reason',
    needsClicks: true,
  },
} as const satisfies Readonly<Record<string, PageRule>>;

/** A rule with the highest number of pages, or of clicks, that does not break it. */
export type FailRule = {
  readonly name: string;
  readonly most: number;
  readonly counts: 'pages' | 'clicks';
} & ({ readonly page: PageRule } | { readonly issue: string });

const Most = z.int().min(0);
const RulesFile = z.strictObject({
  new: z.record(z.string(), Most).optional(),
  lost: z.strictObject({ indexable_pages: Most.optional(), clicks_at_risk: Most.optional() }).optional(),
});

const NAMES = Object.keys(RULES) as (keyof typeof RULES)[];
export const RULE_NAMES: readonly string[] = [...NAMES, 'all'];

/**
 * Returns the rules that the user names: `all`, names separated by commas, or a YAML file.
 *
 * @throws CrawlhouseError `usage` for an unknown rule, or `bad_settings` for an invalid file
 */
export async function failRules(
  text: string,
  readFile: (file: string) => Promise<string>,
): Promise<readonly FailRule[]> {
  const words = text.split(',').map((word) => word.trim());
  const names = words.flatMap((word) => (word === 'all' ? NAMES : [word]));
  const unknown = names.find((name) => lookUp(RULES, name) === undefined);
  if (unknown === undefined)
    return [...new Set(names as typeof NAMES)].map((name) => {
      return { name, most: 0, counts: 'pages', page: RULES[name] };
    });
  if (words.length === 1 && /[./]/.test(text)) return rulesOfFile(await readFile(text), text);
  throw new CrawlhouseError('usage', `--fail-on: there is no rule ${unknown}`, {
    hint: `${didYouMean(unknown, RULE_NAMES)}rules: ${RULE_NAMES.join(', ')}, or a YAML file`,
  });
}

function rulesOfFile(text: string, file: string): readonly FailRule[] {
  const { new: added = {}, lost = {} } = checkYaml(
    RulesFile,
    yamlSource(text, file, 'bad_settings'),
    'bad_settings',
  );
  const rules = [
    ...Object.entries(added).map(([issue, most]): FailRule => {
      return { name: `new.${issue}`, most, counts: 'pages', issue };
    }),
    ...(Object.entries(lost) as [keyof typeof LOSSES, number | undefined][]).flatMap(
      ([name, most]): FailRule[] =>
        most === undefined
          ? []
          : [
              {
                name: `lost.${name}`,
                most,
                counts: name === 'clicks_at_risk' ? 'clicks' : 'pages',
                page: LOSSES[name],
              },
            ],
    ),
  ];
  if (rules.length === 0)
    throw new CrawlhouseError('bad_settings', `${file} names no rule`, {
      hint: 'set a limit, such as new: { noindex: 0 }',
    });
  return rules;
}
