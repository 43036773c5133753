import { type AskOfTwo, type ComparedCrawl, nameOfCrawl } from './compared-crawls.ts';

/** Fields that are compared, by what people call them. */
const FIELDS = {
  status_code: 'HTTP status',
  is_indexable: 'indexability',
  title: 'title',
  h1: 'H1',
  meta_description: 'description',
  rel_canonical: 'canonical',
} as const;
type Field = keyof typeof FIELDS;
/** The field of an export that shows a column. */
export const shownBy = (column: string): string =>
  ['is_indexable', 'non_indexable_reason'].includes(column) ? 'status_code' : column;

/** Pages that came, went, or are in both crawls with another value. */
export interface ComparedPages {
  /** `changed`: in any of the fields. */
  readonly change: 'added' | 'removed' | 'changed' | Field;
  readonly title: string;
  /** Null where one of the exports lacks the field. */
  readonly pages: number | null;
  readonly why: string | null;
}

const KNOWN = `
  SELECT fields.crawl_id, fields.field
  FROM mart.crawl_fields AS fields
  WHERE fields.crawl_id IN ($from, $to) AND fields.dataset = 'crawl_pages'
    AND fields.field IN (${Object.keys(FIELDS)
      .map((field) => `'${field}'`)
      .join(', ')})`;

/**
 * How many pages came, went, and changed in each field. The rule is that of mart.page_changes: a field counts where both
 * exports had it.
 */
export async function readComparedPages(
  ask: AskOfTwo,
  from: ComparedCrawl,
  to: ComparedCrawl,
): Promise<readonly ComparedPages[]> {
  const known = new Set(
    (await ask<{ crawl_id: string; field: string }>(KNOWN)).map(
      ({ crawl_id, field }) => `${crawl_id} ${field}`,
    ),
  );
  const lacking = (field: Field): ComparedCrawl | undefined =>
    [from, to].find(({ crawl_id }) => !known.has(`${crawl_id} ${shownBy(field)}`));
  const fields = (Object.keys(FIELDS) as Field[]).filter((field) => lacking(field) === undefined);
  const [counted] = await ask<Record<ComparedPages['change'], number>>(countedChanges(fields));
  const row = (change: ComparedPages['change'], title: string): ComparedPages => {
    return { change, title, pages: counted?.[change] ?? 0, why: null };
  };
  return [
    ...[row('added', 'pages added'), row('removed', 'pages removed'), row('changed', 'pages changed')],
    ...(Object.entries(FIELDS) as [Field, string][]).map(([field, name]) => {
      const title = `${name} changed`;
      const without = lacking(field);
      if (without === undefined) return row(field, title);
      const why = `the export of ${nameOfCrawl(without)} lacks ${shownBy(field)}`;
      return { change: field, title, pages: null, why };
    }),
  ];
}

/** Each page once, in one join. */
function countedChanges(fields: readonly Field[]): string {
  const counted = (condition: string, name: string): string =>
    `count(CASE WHEN ${condition} THEN 1 END) AS ${name}`;
  const differs = fields.map((field) => `former.${field} IS DISTINCT FROM later.${field}`);
  const both = 'former.url IS NOT NULL AND later.url IS NOT NULL';
  const counts = [
    counted('former.url IS NULL', 'added'),
    counted('later.url IS NULL', 'removed'),
    counted(`${both} AND (${['false', ...differs].join(' OR ')})`, 'changed'),
    ...fields.map((field, index) => counted(`${both} AND ${differs[index]}`, field)),
  ];
  const side = (crawl: 'from' | 'to'): string =>
    `(SELECT ${['url', ...fields].map((field) => `pages.${field}`).join(', ')}
      FROM mart.pages AS pages WHERE pages.crawl_id = $${crawl})`;
  return `
    SELECT ${counts.join(',\n      ')}
    FROM ${side('from')} AS former
    FULL JOIN ${side('to')} AS later ON later.url = former.url`;
}
