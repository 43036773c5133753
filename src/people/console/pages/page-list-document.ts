import { z } from 'zod';
import { CHANGES_OF_ISSUE, conditionKey } from '../../../answers/explore/pages/page-filter.ts';
import { Count } from '../layout/counts.ts';

export const PageList = z.strictObject({
  project_id: z.string(),
  project_name: z.string(),
  crawl_id: z.string(),
  ended_at: z.string().nullable(),
  /** The crawl that a change is compared with. */
  since: z.string().nullable(),
  /** As `mart.issues` has it; null: of any issue. */
  issue: z
    .strictObject({
      issue: z.string(),
      title: z.string(),
      severity: z.string(),
      definition: z.string(),
      why_it_matters: z.string(),
      fix: z.string(),
      source: z.string(),
    })
    .nullable(),
  conditions: z.array(z.strictObject({ column: z.string(), operator: z.string(), value: z.string() })),
  where: z.array(z.string()),
  columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  page: z.number(),
  more: z.boolean(),
  /** Null: it takes longer to count them. */
  total: Count.nullable(),
  seconds: z.number(),
  sql: z.string(),
  /** A SELECT of all links to them, with the same parameters; null where the links of the crawl are not loaded. */
  inlinks: z.string().nullable(),
  parameters: z.record(z.string(), z.string().nullable()),
  command: z.string(),
  /** What may be chosen instead. */
  choices: z.strictObject({
    crawls: z.array(z.strictObject({ crawl_id: z.string(), ended_at: z.string().nullable() })),
    segments: z.array(z.strictObject({ segmentation: z.string(), segment: z.string() })),
    issues: z.array(z.strictObject({ issue: z.string(), title: z.string() })),
    /** Columns with the kind of their values. */
    columns: z.array(z.strictObject({ name: z.string(), kind: z.string() })),
  }),
});
export type PageList = z.infer<typeof PageList>;

/** What a form sends as a filter: one condition more comes as three fields, and a change of an issue may be without its issue. */
export function withAdded(query: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(query);
  const [column, value] = [query.get('column'), query.get('value') ?? ''];
  for (const name of ['column', 'operator', 'value']) next.delete(name);
  if (column) {
    next.append(conditionKey(column), `${query.get('operator') || 'eq'}:${value}`);
  }
  if (!query.get('issue') && CHANGES_OF_ISSUE.includes(query.get('change') ?? ''))
    for (const name of ['change', 'since']) next.delete(name);
  return next;
}
