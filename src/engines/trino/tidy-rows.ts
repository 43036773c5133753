import type { TrinoClient } from './client.ts';
import { literal } from './literal.ts';
import type { RelationNames } from './relation-names.ts';

interface Tidied {
  readonly client: TrinoClient;
  readonly catalog: string;
  readonly names: RelationNames;
  readonly relations: readonly string[];
  /** As Trino writes it: `7d`. */
  readonly grace: string;
}

/**
 * Removes what nobody sees: rows that no pointer names, pointers that have a later one, and files that only snapshots
 * older than the grace time need. Queries that have begun keep their snapshot until then. Only the writer may do this,
 * and not during a load.
 *
 * @returns the rows
 */
export async function tidyRows(
  { client, catalog, names, relations, grace }: Tidied,
  signal?: AbortSignal,
): Promise<bigint> {
  const { visible, candidate } = names;
  let removed = 0n;
  for (const relation of relations) {
    const stored = names.stored(relation);
    const seen = `${names.lastPointers('visible', relation)} UNION ${names.lastPointers('work', relation)}`;
    const unseen = await client.run(
      `DELETE FROM ${stored} WHERE _load_id NOT IN (SELECT load_id FROM (${seen}) WHERE load_id IS NOT NULL)`,
      {},
      signal,
    );
    if (unseen > 0n) await client.run(`ALTER TABLE ${stored} EXECUTE optimize`, {}, signal);
    removed += unseen;
  }
  // The pointers of nothing stay: they have the tokens.
  await client.run(
    `CREATE OR REPLACE TABLE ${visible} WITH (partitioning = ARRAY['token']) AS
     SELECT max(token) AS token, max(seq) AS seq, relation, unit, max_by(load_id, seq) AS load_id
     FROM ${visible} GROUP BY relation, unit HAVING relation IS NULL OR max_by(load_id, seq) IS NOT NULL`,
    {},
    signal,
  );
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
