import { CrawlhouseError } from '../../core/errors.ts';

/** The numbers a spec may give, with what holds where it gives none. */
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

/** What to generate (interface.md, `--generate`); `columns` and `fields` default to the specification's page fields. */
export type GenerateSpec = Readonly<Record<keyof typeof NUMBERS, number>> & {
  readonly columns: number | undefined;
  /** A `.fields.json` file with the page catalogue to generate for. */
  readonly fields: string | undefined;
};

const KEYS = [...Object.keys(NUMBERS), 'columns', 'fields'];

/** @throws CrawlhouseError `usage` that names the key, and the keys that work */
export function parseSpec(text: string): GenerateSpec {
  const given = new Map<string, string>();
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [key = '', ...rest] = part.split('=');
    const name = key.trim();
    if (!KEYS.includes(name)) throw usage(text, `${JSON.stringify(name)} is no key of --generate`);
    if (rest.length === 0) throw usage(text, `${name} has no value`);
    if (given.has(name)) throw usage(text, `${name} stands twice`);
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
  return { ...numbers, columns, fields: given.get('fields') };
}

function usage(text: string, problem: string): CrawlhouseError {
  return new CrawlhouseError('usage', `--generate ${text}: ${problem}`, {
    hint: `keys that work: ${KEYS.join(', ')}; for example projects=1,crawls=3,pages=10000,links=200000,seed=1`,
  });
}
