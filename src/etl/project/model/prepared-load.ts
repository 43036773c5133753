import { z } from 'zod';

/** A value in a file of rows: its column there, the column's type and the value's SQL, both of DuckDB. */
export const StoredValue = z.object({ target: z.string(), type: z.string(), sql: z.string() });
export type StoredValue = z.infer<typeof StoredValue>;

/** The rows of a unit that a worker has written to the warehouse's bucket, for the run to register. */
export const PreparedLoad = z.object({
  load: z.uuid(),
  /** `s3://bucket/key` of the Parquet file. */
  location: z.string(),
  rows: z.int().positive(),
  bytes: z.int().positive(),
  /** The value of each row. */
  loaded_at: z.string(),
  values: z.array(StoredValue).readonly(),
});
export type PreparedLoad = z.infer<typeof PreparedLoad>;
