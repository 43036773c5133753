import { z } from 'zod';
import { type Connection, given, listed, type Row } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import {
  type KnownList,
  type Listed,
  type ListName,
  UNKNOWN_LIST,
} from '../../../project/model/inventory.ts';
import { hasColumns } from '../catalog.ts';

const KnownRow = z.strictObject({
  id: z.string(),
  project_id: z.string().nullable(),
  status: z.string(),
  end_reason: z.string().nullable(),
  link_status: z.string().nullable(),
  content: z.string().nullable(),
  pending: z.boolean(),
  gone: z.boolean(),
  has_requests: z.boolean().nullable(),
  created_at: z.number().nullable(),
  ended_at: z.number().nullable(),
});

/** The known state of every list, in the published warehouse or the working copy. */
export interface KnownLists {
  of(list: ListName, workspaceId: string): KnownList;
}

export const NOTHING_KNOWN: KnownLists = { of: () => UNKNOWN_LIST };

/** The result of reading one list of one workspace. */
export interface RecordedList {
  readonly list: ListName;
  readonly workspaceId: string;
  /** New or changed records. */
  readonly changed: readonly Listed[];
  /** Ids that are no longer listed. */
  readonly gone: readonly string[];
  readonly total: number;
  /** UTC milliseconds of a full resync; null if only the newest pages were read. */
  readonly sweptAt: number | null;
}

const TEXTS = ['id', 'project_id', 'status', 'end_reason', 'link_status', 'content'];
const RECORDS = given('?', TEXTS, { created_at: 'BIGINT', ended_at: 'BIGINT', has_requests: 'BOOLEAN' });

/** Reads `ops.lists` and `ops.listed` of the connection's database. A warehouse without them has no known lists. */
export async function readKnownLists(connection: Connection): Promise<KnownLists> {
  if (!(await hasColumns(connection, 'ops.listed', ['id']))) return NOTHING_KNOWN;
  // A published file of an earlier version has no such table.
  const hasRequests = (await hasColumns(connection, 'ops.listed', ['has_requests']))
    ? 'has_requests'
    : 'NULL';
  const lists = await connection.rows(
    'SELECT list, workspace_id, CAST(epoch_ms(swept_at) AS DOUBLE) AS swept_at FROM ops.lists',
  );
  const known = new Map<string, KnownList>();
  for (const row of lists) {
    const items = typedRows(
      KnownRow,
      await connection.rows(
        `SELECT id, project_id, status, end_reason, link_status, content, pending, gone, ${hasRequests} AS has_requests,
           CAST(epoch_ms(created_at) AS DOUBLE) AS created_at, CAST(epoch_ms(ended_at) AS DOUBLE) AS ended_at
         FROM ops.listed WHERE list = ? AND workspace_id = ?`,
        [row.list ?? null, row.workspace_id ?? null],
      ),
    );
    known.set(keyOf(row), {
      swept_at: row.swept_at as number | null,
      items: new Map(items.map((item) => [item.id, item])),
    });
  }
  return { of: (list, workspace_id) => known.get(keyOf({ list, workspace_id })) ?? UNKNOWN_LIST };
}

/** Records the result of reading lists. Rows are `pending` until they are loaded. */
export async function recordLists(connection: Connection, readings: readonly RecordedList[]): Promise<void> {
  await connection.transaction(async () => {
    for (const { list, workspaceId, changed, gone, total, sweptAt } of readings) {
      const where = 'list = ? AND workspace_id = ?';
      if (sweptAt !== null || changed.length > 0 || gone.length > 0) {
        const former = sweptAt ?? (await sweptAtOf(connection, list, workspaceId));
        await connection.run(`DELETE FROM ops.lists WHERE ${where}`, [list, workspaceId]);
        await connection.run(
          'INSERT INTO ops.lists VALUES (?, ?, ?, make_timestamptz(CAST(? AS BIGINT) * 1000))',
          [list, workspaceId, total, former === null ? null : BigInt(former)],
        );
      }
      if (changed.length > 0) {
        const ids = JSON.stringify(changed.map((listed) => listed.id));
        await connection.run(`DELETE FROM ops.listed WHERE ${where} AND id IN ${listed('?')}`, [
          list,
          workspaceId,
          ids,
        ]);
        await connection.run(
          `INSERT INTO ops.listed
           SELECT ?, ?, id, project_id, status, end_reason, link_status, make_timestamptz(created_at * 1000),
             make_timestamptz(ended_at * 1000), content, true, false, has_requests
           FROM (SELECT ${RECORDS})`,
          [list, workspaceId, JSON.stringify(changed)],
        );
      }
      if (gone.length > 0) {
        await connection.run(
          `UPDATE ops.listed SET gone = true, pending = true WHERE ${where} AND id IN ${listed('?')}`,
          [list, workspaceId, JSON.stringify(gone)],
        );
      }
    }
  });
}

/** Records that `raw` contains the known state of a list. */
export async function recordListLoaded(
  connection: Connection,
  list: ListName,
  workspaceId: string,
): Promise<void> {
  const where = 'pending AND list = ? AND workspace_id = ?';
  await connection.transaction(async () => {
    await connection.run(`DELETE FROM ops.listed WHERE gone AND ${where}`, [list, workspaceId]);
    await connection.run(`UPDATE ops.listed SET pending = false WHERE ${where}`, [list, workspaceId]);
  });
}

async function sweptAtOf(
  connection: Connection,
  list: ListName,
  workspaceId: string,
): Promise<bigint | null> {
  const found = await connection.scalar(
    'SELECT epoch_ms(swept_at) FROM ops.lists WHERE list = ? AND workspace_id = ?',
    [list, workspaceId],
  );
  return typeof found === 'bigint' ? found : null;
}

function keyOf(row: Row | { readonly list: string; readonly workspace_id: string }): string {
  return `${row.list} ${row.workspace_id}`;
}
