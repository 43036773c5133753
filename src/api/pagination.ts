import { z } from 'zod';
import type { Oql } from './oql.ts';

/** `meta` of a paginated list (api-spec.md §2.2). */
export const PageMeta = z.looseObject({
  offset: z.int().nonnegative(),
  limit: z.int().nonnegative(),
  total: z.int().nonnegative(),
  sort: z.array(z.tuple([z.string(), z.string()])).nullish(),
  filters: z.unknown().optional(),
});
export type PageMeta = z.infer<typeof PageMeta>;

/** One page of a list whose items stand under `key`. */
export function pageOf<K extends string, T extends z.ZodType>(key: K, item: T) {
  return z.looseObject({ meta: PageMeta, [key]: z.array(item) } as { meta: typeof PageMeta } & Record<
    K,
    z.ZodArray<T>
  >);
}

/** Parameters of a paginated list; `sort` reads `<name>:<order>` on the wire (api-spec.md §4.9, spec-notes.md 3). */
export interface PageQuery {
  readonly offset?: number;
  readonly limit?: number;
  readonly sort?: { readonly name: string; readonly order: 'asc' | 'desc' };
  readonly filters?: Oql;
}
