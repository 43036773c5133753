import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { ObjectStore } from '../../../core/stores/object-store.ts';
import type { TrinoClient } from './client/trino-client.ts';

/** A warehouse in Trino, with the bucket of its rows and its catalog. */
export interface TrinoPlace {
  /** Its default catalog is that of the warehouse. */
  readonly client: TrinoClient;
  readonly catalog: string;
  /** Prefix of the schema names; may be empty. */
  readonly prefix: string;
  /** The place of the files of loads: `s3://bucket/folder`. `objects` accesses the bucket, `folder` is the rest. */
  readonly bucket: string;
  readonly folder: string;
  readonly objects: ObjectStore;
  /** The catalog: DuckDB, with the tables of `raw` and `ops`. */
  readonly connection: Connection;
  /** A local folder for files in transit. */
  readonly temporary: string;
}
