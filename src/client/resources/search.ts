import { z } from 'zod';
import { OqlTree } from '../oql/oql.ts';

/** The maximum position of search results; exports have none (api-spec.md §8, spec-notes.md 22). */
export const SEARCH_CEILING = 10_000;

/** The body of a search, all optional (api-spec.md §4.1). */
export const SearchBody = z
  .strictObject({
    limit: z.int().nonnegative().optional(),
    offset: z.int().nonnegative().optional(),
    oql: OqlTree.nullish(),
    fields: z.array(z.string()).min(1).optional(),
    sort: z.array(z.strictObject({ field: z.string(), order: z.enum(['asc', 'desc']) })).optional(),
  })
  .meta({ id: 'SearchBody' });
export type SearchBody = z.input<typeof SearchBody>;

/** A search response; rows are under `urls`, for links possibly under `links` (wire-facts.md). */
export const SearchResponse = z
  .looseObject({
    meta: z.looseObject({
      columns: z.array(z.string()).nullish(),
      total_hits: z.int().nonnegative(),
      total_pages: z.int().nullish(),
    }),
    oql: z.unknown().optional(),
    urls: z.array(z.record(z.string(), z.unknown())).optional(),
    links: z.array(z.record(z.string(), z.unknown())).optional(),
  })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.infer<typeof SearchResponse>;

/** Only `export` distinguishes search and export, so both check it in the same way. */
const EXPORT = 'must be true or false, given once';

/** The query of a search; `export=false` is the default. */
export const SearchQuery = z.strictObject({ export: z.literal('false', EXPORT).optional() });

/** File types of a streamed export; `json` returns JSONL (api-spec.md §4.1). */
const EXPORT_FILE_TYPES = ['csv', 'json'] as const;
export type ExportFileType = (typeof EXPORT_FILE_TYPES)[number];

const fileType = z.enum(EXPORT_FILE_TYPES).optional();

/** The query of a streamed export; `file_type` is here, in the body, or equal in both (wire-facts.md). */
export const ExportQuery = z.strictObject({ export: z.literal('true', EXPORT), file_type: fileType });
export const ExportBody = SearchBody.extend({ file_type: fileType }).meta({ id: 'ExportBody' });
export type ExportBody = z.input<typeof ExportBody>;
