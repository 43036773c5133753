import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { ObjectStore } from '../../../stores/object-store.ts';
import type { FileRows, RowFiles } from '../../engine.ts';
import type { TrinoAddress } from '../client/address.ts';
import { physicalColumns } from './physical-columns.ts';
import { folderOf, putRows, storedValues } from './write-load.ts';

/** Writes files of rows into the bucket. The run registers one if it is what the run would write by then. */
export class TrinoFiles implements RowFiles {
  readonly #address: TrinoAddress;
  readonly #objects: ObjectStore;
  readonly #connection: Connection;
  readonly #temporary: string;

  constructor(address: TrinoAddress, objects: ObjectStore, connection: Connection, temporary: string) {
    this.#address = address;
    this.#objects = objects;
    this.#connection = connection;
    this.#temporary = temporary;
  }

  async put({ relation, name, unit, from, types, stored, values: given }: FileRows, signal: AbortSignal) {
    const values = storedValues(physicalColumns(types, stored), given);
    const place = {
      connection: this.#connection,
      temporary: this.#temporary,
      objects: this.#objects,
      bucket: this.#address.bucket,
    };
    const rows = { folder: folderOf(this.#address, relation), name, unit, from, values };
    const put = await putRows(place, rows, signal);
    return put && { ...put, values };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#objects[Symbol.asyncDispose]();
  }
}
