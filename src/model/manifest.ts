import { z } from 'zod';
import { Unit } from './unit.ts';

const Count = z.int().nonnegative();

/** A column of a package: a service's field and where its values stand. */
export const PackageColumn = z.object({
  /** The service's own name, letter for letter. */
  field: z.string(),
  type: z.string(),
  arity: z.enum(['one', 'many']),
  /** Name in the Parquet parts: the field's, but for two that differ only in case. */
  column: z.string(),
  /** DuckDB type of the column in every part. */
  sql_type: z.string(),
});
export type PackageColumn = z.infer<typeof PackageColumn>;

/** What a field's values show that its schema does not foresee: loaded all the same, and told of (spec-notes.md 31). */
export const PackageNote = z.object({
  field: z.string(),
  /** `enum_value`: a value outside the list; `out_of_range`: a number outside the range of its type. */
  change: z.enum(['enum_value', 'out_of_range']),
  /** What the schema foresees: the list, or the range. */
  before: z.string(),
  /** The value; of numbers the one that is farthest out. */
  after: z.string(),
});
export type PackageNote = z.infer<typeof PackageNote>;

/**
 * The columns of a package's reject files (Parquet): one row for each value that did not survive the round trip into
 * its type, `field` NULL where the whole line is broken.
 */
export const REJECT_COLUMNS = {
  file: 'VARCHAR',
  line: 'BIGINT',
  field: 'VARCHAR',
  value: 'VARCHAR',
  reason: 'VARCHAR',
};

/** A package that holds only what is new of a list: the counts are those of the whole list all the same. */
export const ListUpdate = z.object({
  /** Ids of the records that are listed no more. */
  gone: z.array(z.string()).readonly(),
  /** Records that were read in earlier runs and stand as they are. */
  standing: Count,
});
export type ListUpdate = z.infer<typeof ListUpdate>;

/** `manifest.json` of a package: written last, so a package that has one is whole. */
export const Manifest = z.object({
  version: z.literal(1),
  unit: Unit,
  /** `<dataset>/<source id>[/<window>]` */
  name: z.string(),
  run_id: z.string(),
  source: z.object({
    base_url: z.string(),
    route: z.string(),
    format: z.string(),
    /** OQL under which `reported` was counted; null without a filter. */
    filter: z.unknown(),
    /** Why this route. */
    reason: z.string().optional(),
    requested_at: z.string(),
    /** When the crawl or comparison had ended, UTC milliseconds. */
    ended_at: z.int().nullish(),
  }),
  columns: z.array(PackageColumn),
  /** Parquet files, in order, with their rows, size in bytes and SHA-256. */
  parts: z.array(z.object({ file: z.string(), rows: Count, bytes: Count, sha256: z.string() })),
  counts: z.object({ reported: Count.nullable(), received: Count, staged: Count, rejected: Count }),
  /** Parquet files of rejected values (`REJECT_COLUMNS`); none where every row was staged. */
  rejects: z.array(z.string()),
  notes: z.array(PackageNote).default([]),
  update: ListUpdate.optional(),
  /** Bytes on the wire. */
  bytes: Count,
  /** SHA-256 of the content received, after decompression. */
  content_sha256: z.string(),
  attempts: z.int().positive(),
  /** From the first request to the manifest. */
  seconds: z.number(),
  created_at: z.string(),
});
export type Manifest = z.infer<typeof Manifest>;
