import { z } from 'zod';
import { Oql } from './oql.ts';

/** Search results end here; exports don't (api-spec.md §8, spec-notes.md 22). */
export const SEARCH_CEILING = 10_000;

/** The body of a search and of a streamed export, all optional (api-spec.md §4.1). */
export const SearchBody = z.strictObject({
  limit: z.int().nonnegative().optional(),
  offset: z.int().nonnegative().optional(),
  oql: Oql.nullish(),
  fields: z.array(z.string()).min(1).optional(),
  sort: z.array(z.strictObject({ field: z.string(), order: z.enum(['asc', 'desc']) })).optional(),
  /** Exports only; in the body or in the query (wire-facts.md). */
  file_type: z.enum(['csv', 'json']).optional(),
});
export type SearchBody = z.infer<typeof SearchBody>;

/** A search response; rows stand under `urls`, for links perhaps under `links` (wire-facts.md). */
export const SearchResponse = z.looseObject({
  meta: z.looseObject({
    columns: z.array(z.string()).nullish(),
    total_hits: z.int().nonnegative(),
    total_pages: z.int().nullish(),
  }),
  oql: z.unknown().optional(),
  urls: z.array(z.record(z.string(), z.unknown())).optional(),
  links: z.array(z.record(z.string(), z.unknown())).optional(),
});
export type SearchResponse = z.infer<typeof SearchResponse>;

/** File types of a streamed export; `json` comes as JSONL (api-spec.md §4.1). */
export const EXPORT_FILE_TYPES = ['csv', 'json'] as const;
export type ExportFileType = (typeof EXPORT_FILE_TYPES)[number];
