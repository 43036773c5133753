import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { UnderstoodLines } from '../../site/access-logs/log-report.ts';
import type { LogTables } from './log-tables.ts';

/** Returns the meaning of a file's lines. Only this is written to rows. */
export async function understoodLines(
  connection: Connection,
  tables: LogTables,
  { id, from }: { readonly id: number; readonly from: number },
): Promise<Omit<UnderstoodLines, 'replaced_events'>> {
  const lines = `${tables.lines} AS line
    JOIN ${tables.agents} AS agent ON agent.id = line.agent
    JOIN ${tables.origins} AS origin ON origin.id = line.origin
    WHERE line.file = ${id} AND line.line > ${from}`;
  const meaning = `concat_ws(' ', strftime(make_timestamp(line.second * 1000000), '%Y-%m-%d %H:%M:%S UTC'), line.method,
    origin.origin || line.path, line.status, '"' || agent.user_agent || '"')`;
  const place = 'line.line';
  const [row] = await connection.rows(
    `SELECT arg_min(${meaning}, ${place}) AS first, arg_max(${meaning}, ${place}) AS last,
      CASE WHEN count(agent.is_bot) = count(*) THEN count(*) FILTER (agent.is_bot) * 100.0 / count(*) END AS bots
      FROM ${lines}`,
  );
  return {
    first_line: (row?.first as string | null) ?? null,
    last_line: (row?.last as string | null) ?? null,
    bots_percent: row?.bots === null || row?.bots === undefined ? null : Math.round(Number(row.bots)),
  };
}
