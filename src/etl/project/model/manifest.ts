import { z } from 'zod';
import { columnTypes, FieldName, MOST_COLUMNS } from './field.ts';
import { Unit } from './unit.ts';

const Count = z.int().nonnegative();

/** A column of a package: a field of the service and the column of its values. */
export const PackageColumn = z
  .object({
    /** The service's name, unchanged. */
    field: FieldName,
    type: z.string(),
    arity: z.enum(['one', 'many']),
    /** Name in the Parquet parts: the field's name, except for two that differ only in case. */
    column: FieldName,
    /** DuckDB type of the column in every part. It goes into SQL, so only types derived from `type` are valid. */
    sql_type: z.string(),
    /** The service's description of the field. */
    description: z.string().optional(),
  })
  .superRefine(({ field, type, arity, sql_type }, context) => {
    const types = columnTypes({ name: field, type, arity });
    if (types.includes(sql_type)) return;
    const message = `the column of a field of the type ${JSON.stringify(type)} (${arity}) is ${types.join(' or ')}`;
    context.addIssue({ code: 'custom', path: ['sql_type'], message });
  });
export type PackageColumn = z.infer<typeof PackageColumn>;

/** A value outside of its field's schema. It is loaded, and the finding is recorded (spec-notes.md 31). */
export const PackageNote = z.object({
  field: z.string(),
  /** `enum_value`: a value outside the list; `out_of_range`: a number outside the range of its type. */
  change: z.enum(['enum_value', 'out_of_range']),
  /** The values that the schema allows: the list, or the range. */
  before: z.string(),
  /** The value; for numbers the most distant one. */
  after: z.string(),
});
export type PackageNote = z.infer<typeof PackageNote>;

/**
 * The columns of a package's reject files (Parquet): one row per value that could not be converted to its type. `field`
 * is NULL if the whole line is broken.
 */
export const REJECT_COLUMNS = {
  file: 'VARCHAR',
  line: 'BIGINT',
  field: 'VARCHAR',
  value: 'VARCHAR',
  reason: 'VARCHAR',
};

/** The package contains only the changes of a list. Its counts are still those of the whole list. */
export const ListUpdate = z.object({
  /** Ids of the records that are no longer listed. */
  gone: z.array(z.string()).readonly(),
  /** Number of unchanged records from earlier runs. */
  unchanged: Count,
});
export type ListUpdate = z.infer<typeof ListUpdate>;

/** A path within the package's folder. No part of the name leads out of the folder. */
const PARTS = /^parts\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.parquet$/;
const REJECTS = /^rejects-[A-Za-z0-9._-]{1,199}\.parquet$/;

/** Returns the schema of a Parquet file of a package, with its rows, size in bytes and SHA-256. */
function packageFile(pattern: RegExp, shape: string) {
  return z.object({
    file: z.string().regex(pattern, `a file of a package is named ${shape}, relative to its folder`),
    rows: Count,
    bytes: Count,
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 has 64 hexadecimal digits'),
  });
}

/** Version of the package format. */
export const MANIFEST_VERSION = 1;

function lowered<Key extends string>(list: readonly Readonly<Record<Key, string>>[], key: Key): string[] {
  return list.map((one) => one[key].toLowerCase());
}

/** `manifest.json` of a package. It is written last, so a package that has one is complete. */
export const Manifest = z
  .object({
    version: z.literal(MANIFEST_VERSION),
    unit: Unit,
    /** `<dataset>/<source id>[/<window>]` */
    name: z.string(),
    run_id: z.string(),
    source: z.object({
      base_url: z.string(),
      route: z.string(),
      format: z.string(),
      /** The OQL filter that `reported` was counted with; null if there is no filter. */
      filter: z.unknown(),
      /** The pipeline's filter and fields, as JSON; absent if no pipeline requested it. */
      definition: z.string().optional(),
      /** Why this route and format were chosen. */
      reason: z.string().optional(),
      requested_at: z.string(),
      /** When the crawl or comparison ended, UTC milliseconds. */
      ended_at: z.int().nullish(),
    }),
    columns: z
      .array(PackageColumn)
      .max(MOST_COLUMNS, `a table has at most ${MOST_COLUMNS} columns: DuckDB has no memory for more`),
    /** Parquet files, in order. */
    parts: z.array(packageFile(PARTS, 'parts/<name>.parquet')),
    counts: z.object({ reported: Count.nullable(), received: Count, staged: Count, rejected: Count }),
    /** Parquet files of rejected values (`REJECT_COLUMNS`); none if every row was staged. */
    rejects: z.array(packageFile(REJECTS, 'rejects-<name>.parquet')),
    notes: z.array(PackageNote).default([]),
    update: ListUpdate.optional(),
    /**
     * The sum of DuckDB's hashes of the rows, with the version that computed it. Another version may hash differently.
     */
    fingerprint: z
      .object({
        sum: z.string().regex(/^\d{1,39}$/, 'a sum of hashes is a whole number'),
        duckdb: z.string(),
      })
      .optional(),
    /** Transferred bytes. */
    bytes: Count,
    /** SHA-256 of the content received, after decompression. */
    content_sha256: z.string(),
    attempts: z.int().positive(),
    /** Seconds from the first request to the manifest. */
    seconds: z.number(),
    /** Of those, the seconds until the service had made the data export; absent for other routes, or if unknown. */
    waited: z.number().nonnegative().optional(),
    created_at: z.string(),
  })
  .superRefine(({ columns, parts, rejects }, context) => {
    const lists = [
      ['columns', 'field', columns.map(({ field }) => field), 'a field has one column'],
      // DuckDB and many file systems treat names that differ only in case as equal.
      ['columns', 'column', lowered(columns, 'column'), 'two columns differ in more than case'],
      ['parts', 'file', lowered(parts, 'file'), 'a part is listed once'],
      ['rejects', 'file', lowered(rejects, 'file'), 'a file of rejects is listed once'],
    ] as const;
    for (const [path, key, names, message] of lists) {
      const seen = new Set<string>();
      for (const [index, name] of names.entries()) {
        if (seen.has(name)) context.addIssue({ code: 'custom', path: [path, index, key], message });
        seen.add(name);
      }
    }
  });
export type Manifest = z.infer<typeof Manifest>;
