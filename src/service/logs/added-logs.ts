import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GRANULARITIES } from '../../client/resources/fields.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import type { RejectReason } from '../../site/access-logs/log-line.ts';
import type { BotReport, LogFileReport } from '../../site/access-logs/log-report.ts';
import type { LogSource } from '../../site/access-logs/log-source.ts';
import { find } from '../resources/find.ts';
import { type Resources, resourceId, type StoredResource } from '../resources/resources.ts';
import { switchOnLogs } from '../resources/seed.ts';
import { dryTransaction } from '../rows/dry-transaction.ts';
import type { ServiceRows } from '../rows/service-rows.ts';
import { eventsKeptOtherwise, type KnownFile, readFiles } from './known-files.ts';
import { type AddingLogs, LogAdder } from './log-adder.ts';
import { weekDefinitionOf } from './log-metadata.ts';
import { LogTables } from './log-tables.ts';
import { type NamedLog, type RemovedLog, removeLogs } from './remove-logs.ts';
import { addedLogPages, settleLogDays } from './settle-log-days.ts';

export interface LogsToAdd extends Pick<AddingLogs, 'rules' | 'again' | 'bots' | 'confirm' | 'isDryRun'> {
  readonly projectId: string;
  readonly sources: AsyncIterable<LogSource>;
  /** Called with true before rows that must leave no trace are removed, and with false if there were none. */
  readonly onForget?: ((isToForget: boolean) => void) | undefined;
  /** Called with the report of each file after it is read. */
  readonly onFile: (report: LogFileReport) => void;
}

export interface LogsToRemove {
  readonly projectId: string;
  readonly files: AsyncIterable<NamedLog>;
  /** Whether nothing is removed, only reported. */
  readonly isDryRun: boolean;
}

interface LogWork {
  readonly resources: Resources;
  readonly rows: ServiceRows;
  readonly clock: { now(): number };
  readonly stateDir: string;
}

const MESSAGES: Readonly<Record<RejectReason, string>> = {
  not_the_format: 'the line does not match the format',
  no_time: 'the record has no time',
  no_url: 'the record has no URL',
  no_status: 'the record has no status',
  implausible_day: 'the day is outside the plausible range (access_logs.earliest_day)',
  bad_port: 'the port is not a number',
  bad_time: 'the time cannot be read',
  bad_status: 'the status is not three digits',
  bad_bytes: 'the size is not a number',
  too_long: 'the line is longer than 1 MiB',
};

/** Access logs that were added to projects: each file is an ingest file, and its lines are events of log monitoring. */
export class AddedLogs {
  readonly #work: LogWork;

  constructor(work: LogWork) {
    this.#work = work;
  }

  /** Adds files, and counts their days. */
  async add(
    { projectId, sources, onForget, onFile, ...asked }: LogsToAdd,
    signal: AbortSignal,
  ): Promise<readonly BotReport[]> {
    const { resources, rows, clock, stateDir } = this.#work;
    const project = find(resources, 'projects', projectId);
    const tables = new LogTables(projectId);
    const folder = join(stateDir, 'logs');
    await rm(folder, { recursive: true, force: true });
    makeFolder(folder, { mode: 0o700 });
    try {
      return await rows.use(async (connection) => {
        const origin = new URL(String(project.start_url)).origin;
        const { rules } = asked;
        const adding = { origin, ...asked, folder, now: clock.now() };
        // Their hashes stay in free blocks.
        if (await tables.areFormer(connection)) rows.isToRewrite = true;
        const adder = await LogAdder.open(connection, tables, adding);
        const keptOtherwise = await eventsKeptOtherwise(connection, tables, rules);
        const wasToRewrite = rows.isToRewrite;
        // Before anything is deleted: a process may end at any time.
        if (keptOtherwise > 0) {
          rows.isToRewrite = true;
          onForget?.(true);
        }
        const last = Number(await connection.scalar(`SELECT coalesce(max(rowid), -1) FROM ${tables.lines}`));
        for await (const source of sources) onFile(await adder.add(source, signal));
        if (keptOtherwise > 0 && (await eventsKeptOtherwise(connection, tables, rules)) === keptOtherwise) {
          rows.isToRewrite = wasToRewrite;
          onForget?.(false);
        }
        return await connection.jsonRows<BotReport>(
          `SELECT agent.bot, ${[1, 2, 3].map((one, index) => `CAST(count(*) FILTER (line.verification = ${one}) AS INTEGER) AS ${['verified', 'refuted', 'unchecked'][index]}`).join(', ')}
            FROM ${tables.lines} AS line JOIN ${tables.agents} AS agent ON agent.id = line.agent
            WHERE line.rowid > ${last} AND line.verification IS NOT NULL GROUP BY agent.bot ORDER BY count(*) DESC, agent.bot`,
        );
      }, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
      if (!signal.aborted) await this.settle(signal);
    }
  }

  /**
   * Removes files from a project, in one transaction.
   *
   * @throws CrawlhouseError `usage` for a file that was not added
   */
  async remove({ projectId, files, isDryRun }: LogsToRemove, signal: AbortSignal): Promise<RemovedLog[]> {
    const { rows } = this.#work;
    const tables = new LogTables(projectId);
    try {
      return await rows.use(async (connection) => {
        if (!(await tables.isThere(connection)))
          throw new CrawlhouseError('usage', 'no access logs were added to the project');
        await tables.make(connection);
        const store = { connection, tables, secret: await tables.secret(connection) };
        return await dryTransaction(connection, isDryRun, () => removeLogs(store, files, signal));
      }, signal);
    } finally {
      if (!signal.aborted) await this.settle(signal);
    }
  }

  /** Finishes interrupted work: counts of days, and the records of files. */
  async settle(signal?: AbortSignal): Promise<void> {
    const { resources, rows, clock } = this.#work;
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    for (const project of resources.list('projects')) {
      const tables = new LogTables(project.id);
      await rows.use(async (connection) => {
        if (!(await tables.isThere(connection))) return;
        await settleLogDays(connection, tables, { id: project.id, weeks: weekDefinitionOf(project), today });
        this.#register(project, tables, await readFiles(connection, tables));
      }, signal);
    }
  }

  #register(project: StoredResource, tables: LogTables, files: readonly KnownFile[]): void {
    const { resources } = this.#work;
    const documents = files.map((file) =>
      ingestFile(resourceId('log file', project.id, file.id), project.id, file),
    );
    const ids = new Set(documents.map(({ id }) => id));
    resources.transaction(() => {
      for (const { id, _is_log } of resources.list('ingest_files', project.id))
        if (_is_log === true && !ids.has(id)) resources.delete('ingest_files', id);
      if (files.length === 0 && resources.dataset(project.id, 'events') === undefined) return;
      switchOnLogs(resources, project.id);
      resources.putDataset(project.id, 'events', { table: tables.events, columns: tables.columns() });
      for (const granularity of GRANULARITIES)
        resources.putDataset(project.id, `log_pages_${granularity}`, addedLogPages(project.id, granularity));
      for (const document of documents) resources.put('ingest_files', project.id, document);
    });
  }
}

/** Returns the record of a file that was read (api-spec.md §2.9). */
function ingestFile(id: string, project_id: string, file: KnownFile): StoredResource {
  const { rejects } = file;
  return {
    id,
    project_id,
    name: file.name,
    status: 'PROCESSED',
    kind: 'ingest',
    created_at: file.added_at,
    detailed_invalid_lines: rejects.reasons,
    error_message: null,
    fields: { url: 'string', event_date: 'datetime', status_code: 'natural', user_agent: 'string' },
    valid_lines: file.events,
    invalid_lines: file.rejected,
    lines_errors_messages: Object.fromEntries(
      Object.entries(rejects.places).map(([reason, lines]) => [
        reason,
        lines.map((line) => `line ${line}: ${MESSAGES[reason as RejectReason]}`),
      ]),
    ),
    size: file.offset,
    _is_log: true,
  };
}
