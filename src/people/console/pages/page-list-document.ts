import { z } from 'zod';
import { unknownColumn } from '../../../answers/explore/page-conditions.ts';
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

/** A form adds one condition as three fields; it becomes one. */
export function withAdded(query: URLSearchParams): URLSearchParams {
  const column = query.get('column');
  if (column === null) return query;
  const next = new URLSearchParams(query);
  for (const name of ['column', 'operator', 'value']) next.delete(name);
  const value = query.get('value') ?? '';
  if (column === '') return next;
  if (!/^\w+$/.test(column)) throw unknownColumn(column, []);
  next.append(column, `${query.get('operator') || 'eq'}:${value}`);
  return next;
}
