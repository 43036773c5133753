import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** The numbers in a spec, with their defaults. */
const NUMBERS = {
  projects: 1,
  crawls: 1,
  pages: 0,
  links: 0,
  clusters: 0,
  structured_data: 0,
  comparisons: 0,
  log_days: 0,
  events: 0,
  ranking_days: 0,
  seed: 1,
} as const;

/** Crawls of a project that are not done and live, each by its name in the contract, by time. */
export const CRAWL_STATES = [
  'archived',
  'user_requested',
  'max_url_reached',
  'cancelled',
  'running',
] as const;
export type GeneratedState = (typeof CRAWL_STATES)[number];
/** The least pages of a site, so that a crawl of it can be cut. */
const LEAST_PAGES = 10;

/** What to generate (interface.md, `--generate`); `columns` and `fields` default to the specification's page fields. */
export type GenerateSpec = Readonly<Record<keyof typeof NUMBERS, number>> & {
  readonly columns: number | undefined;
  /** A `.fields.json` file with the page fields to generate for. */
  readonly fields: string | undefined;
  /** Workspaces that the projects are spread over; absent: one. */
  readonly workspaces?: number;
  /** Crawls of each state that follow the `crawls` of each project; absent: none. */
  readonly states?: Readonly<Partial<Record<GeneratedState, number>>>;
};

const KEYS = [...Object.keys(NUMBERS), 'columns', 'fields', 'workspaces', ...CRAWL_STATES];

/** @throws CrawlhouseError `usage` with the key, and the valid keys */
export function parseSpec(text: string): GenerateSpec {
  const given = new Map<string, string>();
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [key = '', ...rest] = part.split('=');
    const name = key.trim();
    if (!KEYS.includes(name)) throw usage(text, `${JSON.stringify(name)} is no key of --generate`);
    if (rest.length === 0) throw usage(text, `${name} has no value`);
    if (given.has(name)) throw usage(text, `${name} appears twice`);
    given.set(name, rest.join('=').trim());
  }
  const number = (name: string): number | undefined => {
    const value = given.get(name);
    if (value === undefined) return undefined;
    if (!/^\d{1,12}$/.test(value)) throw usage(text, `${name}=${value} is not a whole number from 0`);
    return Number(value);
  };
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).map(([name, otherwise]) => [name, number(name) ?? otherwise]),
  ) as Record<keyof typeof NUMBERS, number>;
  const columns = number('columns');
  if (columns === 0) throw usage(text, 'columns=0 leaves nothing to generate');
  if (numbers.comparisons > Math.max(0, numbers.crawls - 1))
    throw usage(text, `crawls=${numbers.crawls} leave no ${numbers.comparisons} pairs to compare`);
  const states = CRAWL_STATES.flatMap((state) => {
    const crawls = number(state) ?? 0;
    return crawls === 0 ? [] : [[state, crawls] as const];
  });
  if (states.length > 0 && numbers.pages < LEAST_PAGES)
    throw usage(text, `${states[0]?.[0]} needs pages=${LEAST_PAGES} or more`);
  if ((number('running') ?? 0) > 1)
    throw usage(text, 'running is at most 1: crawls of one configuration run one after the other');
  const workspaces = number('workspaces');
  if (workspaces === 0) throw usage(text, 'workspaces=0 leaves no place for a project');
  // A spec without these keys keeps its name, and so finds what was generated before.
  return {
    ...numbers,
    columns,
    fields: given.get('fields'),
    ...(workspaces === undefined ? {} : { workspaces }),
    ...(states.length === 0 ? {} : { states: Object.fromEntries(states) }),
  };
}

function usage(text: string, problem: string): CrawlhouseError {
  return new CrawlhouseError('usage', `--generate ${text}: ${problem}`, {
    hint: `keys that work: ${KEYS.join(', ')}; for example projects=1,crawls=3,pages=10000,links=200000,seed=1`,
  });
}
