import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, ident } from '../../core/duckdb/duckdb.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { EngineAddress } from '../../project/settings/settings.ts';
import type {
  Engine,
  EngineWriter,
  PublishedQueries,
  RowFiles,
  SourcePlace,
  UnitReader,
  WriterPlace,
} from '../engine.ts';
import { PortableQueries } from '../portable-queries.ts';
import { sourceColumns } from '../source-columns.ts';
import { bringCatalogue } from './bring-catalogue.ts';
import { asTrino, type TrinoAddress } from './client/address.ts';
import { MODEL_SESSION } from './client/client.ts';
import { literal } from './client/literal.ts';
import { openTrinoBucket, openTrinoClient, openTrinoPlace } from './client/open-trino.ts';
import { RelationNames } from './client/relation-names.ts';
import { examineTrino } from './examine-trino.ts';
import { selectRowsFile, writeRowsFile } from './rows/rows-file.ts';
import { TrinoRows } from './rows/trino-rows.ts';
import { TrinoFiles } from './rows/write-load.ts';
import { translateSql } from './translate-sql.ts';
import { TrinoMirror } from './trino-mirror.ts';
import { TrinoModels } from './trino-models.ts';

export function openTrinoEngine(address: EngineAddress): Engine {
  return new TrinoEngine(asTrino(address));
}

class TrinoEngine implements Engine {
  readonly #address: TrinoAddress;

  constructor(address: TrinoAddress) {
    this.#address = address;
  }

  async openFiles(connection: Connection, temporary: string): Promise<RowFiles> {
    return new TrinoFiles(this.#address, await openTrinoBucket(this.#address), connection, temporary);
  }

  async openWriter(
    { connection, stateDir, published, working }: WriterPlace,
    logger: Logger,
    signal?: AbortSignal,
  ): Promise<EngineWriter> {
    await using stack = new AsyncDisposableStack();
    const place = stack.use(await openTrinoPlace(this.#address, { connection, stateDir }));
    await bringCatalogue(place, { path: published, workingPath: working }, logger, signal);
    const opened = stack.move();
    return {
      async begin(signal) {
        const rows = await TrinoRows.begin(place, signal);
        const models = new TrinoModels(connection, rows);
        return { rows, models, mirror: new TrinoMirror(connection, rows) };
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  async openUnits(place: SourcePlace): Promise<UnitReader> {
    const client = await openTrinoClient(this.#address);
    const names = new RelationNames(this.#address.schemaPrefix);
    return {
      async rowsOf(relation, unit, signal) {
        const { columns, values } = await sourceColumns(place, relation);
        const file = join(place.temporary, `${randomUUID()}.rows`);
        makeFolder(place.temporary);
        const remove = (): Promise<void> => rm(file, { force: true });
        const selected = columns.map(({ name }) => ident(name)).join(', ');
        const sql = `SELECT ${selected} FROM ${names.reader(relation)} WHERE _unit = ${literal(unit)}`;
        try {
          await writeRowsFile(client.pages(sql, {}, signal), file);
        } catch (error) {
          await remove();
          throw error;
        }
        return { values, from: `(${selectRowsFile(file, columns)}) AS moved`, [Symbol.asyncDispose]: remove };
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  }

  async openQueries(catalogue: Connection): Promise<PublishedQueries> {
    const client = await openTrinoClient(this.#address);
    const names = new RelationNames(this.#address.schemaPrefix);
    const queries = new PortableQueries(catalogue, translateSql, (selectFrom, signal) =>
      client.rows(
        selectFrom((relation) => names.reader(relation)),
        { session: MODEL_SESSION },
        signal,
      ),
    );
    return { queries, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
  }

  examine(signal: AbortSignal) {
    return examineTrino(this.#address, signal);
  }
}
