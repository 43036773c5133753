import { table, text } from '../../core/duckdb/duckdb.ts';
import type { Engine } from '../engine.ts';
import { sourceColumns } from '../source-columns.ts';
import { DuckDbMirror } from './duckdb-mirror.ts';
import { DuckDbModels } from './duckdb-models.ts';
import { DuckDbRows } from './duckdb-rows.ts';

const nothing = async (): Promise<void> => {};

/** All is in the file that the working copy is a copy of. */
export const duckdbEngine: Engine = {
  async openWriter({ connection }) {
    return {
      async begin() {
        return {
          rows: new DuckDbRows(connection),
          models: new DuckDbModels(connection),
          mirror: new DuckDbMirror(connection),
        };
      },
      [Symbol.asyncDispose]: nothing,
    };
  },
  async openUnits(place) {
    return {
      async rowsOf(relation, unit) {
        const { values } = await sourceColumns(place, relation);
        const from = `${table(place.source, ...relation.split('.'))} WHERE _unit = ${text(unit)}`;
        return { values, from, [Symbol.asyncDispose]: nothing };
      },
      [Symbol.asyncDispose]: nothing,
    };
  },
  async openQueries(catalogue) {
    return { queries: catalogue, [Symbol.asyncDispose]: nothing };
  },
  // The checks of the state directory look at the file.
  async examine() {
    return [];
  },
  elsewhere: null,
};
