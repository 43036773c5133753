import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { ObjectStore } from '../../stores/object-store.ts';
import type { TrinoClient } from './client/client.ts';

/** A warehouse in Trino, with the bucket of its rows and its catalogue. */
export interface TrinoPlace {
  /** Its default catalogue is the warehouse's. */
  readonly client: TrinoClient;
  readonly catalog: string;
  /** Before the names of the schemas; may be empty. */
  readonly prefix: string;
  /** Where the files of loads go: `s3://bucket/folder`, of which `objects` has the bucket and `folder` is the rest. */
  readonly bucket: string;
  readonly folder: string;
  readonly objects: ObjectStore;
  /** The catalogue: DuckDB, with the tables of `raw` and `ops`. */
  readonly connection: Connection;
  /** A folder of this machine for files on their way. */
  readonly temporary: string;
}
