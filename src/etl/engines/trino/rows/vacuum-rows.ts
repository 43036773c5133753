import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../../core/files/make-folder.ts';
import { host } from '../../../../core/host/host.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { literal } from '../client/literal.ts';
import type { RelationNames } from '../client/relation-names.ts';
import type { TrinoClient } from '../client/trino-client.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { PointerTable } from './pointer-table.ts';

const StoredTable = z.strictObject({ table_name: z.string() });

const UnseenLoad = z.strictObject({ load: z.string() });

const EVERY_MS = 24 * 3600 * 1000;
/** The time for which running queries keep their snapshot. */
const GRACE = '7d';

/** Removes invisible rows once a day. On the first day of a state directory, only starts the clock. */
export async function vacuumAtTimes(
  { client, catalog, temporary }: TrinoPlace,
  names: RelationNames,
  pointers: PointerTable,
  signal: AbortSignal | undefined,
): Promise<void> {
  const note = join(temporary, 'tidied');
  const last = host().files.statSync(note, { throwIfNoEntry: false })?.mtimeMs;
  if (last !== undefined && host().now() - last < EVERY_MS) return;
  if (last !== undefined) {
    const tables = typedRows(StoredTable, await pointers.rows(names.storedTables, signal));
    const relations = tables
      .map(({ table_name }) => table_name.replace('_', '.'))
      .filter((relation) => relation.includes('.'));
    await vacuumRows(
      { client, catalog, names, relations, grace: GRACE, check: (own) => pointers.check(own) },
      signal,
    );
  }
  makeFolder(temporary);
  await writeFileAtomic(note, '');
}

interface Tidied {
  readonly client: TrinoClient;
  readonly catalog: string;
  readonly names: RelationNames;
  readonly relations: readonly string[];
  /** In Trino's form: `7d`. */
  readonly grace: string;
  /** Throws if another writer has begun. */
  readonly check: (signal?: AbortSignal) => Promise<void>;
}

/** Maximum loads in one statement, whose text has at most a million characters. */
const LOADS_AT_ONCE = 10_000;

/**
 * Removes invisible data: rows that no pointer names, superseded pointers, and files that only snapshots older than the
 * grace time need. Running queries keep their snapshot until then. Only the writer may do this, and not during a load.
 *
 * Another writer may begin at any moment. So this function removes only loads that existed when this writer was last
 * confirmed as the newest. No other writer's pointers refer to these loads (`checkUnpublished`). It deletes pointers
 * row by row, so that other writers' pointers stay.
 *
 * @returns the number of removed rows
 * @throws CrawlhouseError `locked` if another writer has begun since
 */
export async function vacuumRows(
  { client, catalog, names, relations, grace, check }: Tidied,
  signal?: AbortSignal,
): Promise<bigint> {
  const { visible, candidate } = names;
  const unseen = new Map<string, readonly string[]>();
  for (const relation of relations) {
    const seen = `${names.lastPointers('visible', relation)} UNION ${names.lastPointers('work', relation)}`;
    const loads = typedRows(
      UnseenLoad,
      await client.rows(
        `SELECT DISTINCT _load_id AS load FROM ${names.stored(relation)}
         WHERE _load_id NOT IN (SELECT load_id FROM (${seen}) WHERE load_id IS NOT NULL)`,
        {},
        signal,
      ),
    );
    if (loads.length > 0)
      unseen.set(
        relation,
        loads.map(({ load }) => load),
      );
  }
  await check(signal);
  let removed = 0n;
  for (const [relation, loads] of unseen) {
    const stored = names.stored(relation);
    for (let at = 0; at < loads.length; at += LOADS_AT_ONCE) {
      const listed = loads.slice(at, at + LOADS_AT_ONCE).map(literal);
      removed += await client.run(
        `DELETE FROM ${stored} WHERE _load_id IN (${listed.join(', ')})`,
        {},
        signal,
      );
    }
    await client.run(`ALTER TABLE ${stored} EXECUTE optimize`, {}, signal);
  }
  // A pointer without a relation stays, because it contains a token.
  const last = `SELECT max(seq) FROM ${visible} GROUP BY relation, unit
    HAVING relation IS NULL OR max_by(load_id, seq) IS NOT NULL`;
  const former = await client.run(`DELETE FROM ${visible} WHERE seq NOT IN (${last})`, {}, signal);
  if (former > 0n) await client.run(`ALTER TABLE ${visible} EXECUTE optimize`, {}, signal);
  const session = {
    [`${catalog}.expire_snapshots_min_retention`]: grace,
    [`${catalog}.remove_orphan_files_min_retention`]: grace,
  };
  for (const name of [visible, candidate, ...relations.map((relation) => names.stored(relation))])
    for (const what of ['expire_snapshots', 'remove_orphan_files'])
      await client.run(
        `ALTER TABLE ${name} EXECUTE ${what}(retention_threshold => ${literal(grace)})`,
        { session },
        signal,
      );
  return removed;
}
