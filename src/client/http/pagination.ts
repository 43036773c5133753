import { z } from 'zod';
import type { Oql } from '../oql/oql.ts';

/** `meta` of a paginated list (api-spec.md §2.2). */
export const PageMeta = z.looseObject({
  offset: z.int().nonnegative(),
  limit: z.int().nonnegative(),
  total: z.int().nonnegative(),
  sort: z.array(z.tuple([z.string(), z.string()])).nullish(),
  filters: z.unknown().optional(),
});
export type PageMeta = z.infer<typeof PageMeta>;

/** Returns a response that is one page of a list, with the items under `key`. */
export function pageOf<const K extends string, T extends z.ZodType>(key: K, item: T) {
  const page = { meta: PageMeta, [key]: z.array(item) };
  return {
    response: z.looseObject(page as { meta: typeof PageMeta } & Record<K, z.ZodArray<T>>),
    result: key,
  };
}

const count = z
  .string('must be given once')
  .regex(/^\d{1,9}$/, 'must be a whole number from 0 to 999999999')
  .transform(Number);
const offset = count.default(0).meta({ wire: { type: 'integer', minimum: 0, default: 0 } });
const limit = count.default(10).meta({ wire: { type: 'integer', minimum: 0, default: 10 } });

/**
 * Returns the query of a paginated list (api-spec.md §4.9, "Pagination query"), with the fields to sort and filter by.
 */
export function listQuery(fields: readonly string[]) {
  const named = fields.length > 0 ? fields.map((field) => `\`${field}\``).join(', ') : 'none is specified';
  const orders = fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]);
  const text = z.string('must be given once').optional();
  return z.strictObject({
    offset,
    limit,
    sort: text.meta({
      wire: {
        type: 'string',
        ...(orders.length > 0 ? { enum: orders } : {}),
        description: `\`<name>:<order>\`, where order is \`asc\` or \`desc\`; names: ${named}`,
      },
    }),
    filters: text.meta({
      wire: {
        type: 'string',
        'x-filter-fields': fields,
        description: `OQL, encoded as rison; fields: ${named}`,
      },
    }),
  });
}
export type ListQuery = z.output<ReturnType<typeof listQuery>>;

/** The query of a list without sort and filters (api-spec.md §2.7). */
export const OffsetQuery = z.strictObject({ offset, limit });

export const NoQuery = z.strictObject({});

/** Parameters of a paginated list; `sort` is `<name>:<order>` on the wire (spec-notes.md 3). */
export interface PageQuery {
  readonly offset?: number;
  readonly limit?: number;
  readonly sort?: { readonly name: string; readonly order: 'asc' | 'desc' };
  readonly filters?: Oql;
}
