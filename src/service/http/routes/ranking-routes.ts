import { createReadStream } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { z } from 'zod';
import {
  DATA_EXPORT_LIST_FIELDS,
  GET_DATA_EXPORT,
  LIST_DATA_EXPORTS,
} from '../../../client/resources/data-exports.ts';
import {
  AGGREGATE_RANKING,
  EXPORT_RANKING,
  GET_RANKING_FIELDS,
  type RankingQuery,
} from '../../../client/resources/ranking-performance.ts';
import { rankingExport } from '../../ranking/download-center.ts';
import {
  aggregateRanking,
  costOf,
  type RankingTable,
  rankingTable,
  spend,
  touchedBy,
} from '../../ranking/ranking-table.ts';
import { datasetOf, find, requireFeature } from '../../resources/find.ts';
import { invalidParameter, notFound, Refusal } from '../../resources/refusal.ts';
import { publicView, type StoredResource } from '../../resources/resources.ts';
import { workspaceOf } from '../../resources/seed.ts';
import { checkPatterns } from '../../rows/dataset-query.ts';
import { serveList } from '../list-page.ts';
import { type Context, serve } from '../serve.ts';

/** Rows of an aggregate without `limit`, and the largest `limit`. */
const LIMIT = 1_000;
const GREATEST_LIMIT = 10_000;

/** Fields, aggregates and asynchronous exports of ranking performance (api-spec.md §4.2). */
export function rankingRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows, clock, downloads } = context;
  const projectOf = (id: string): StoredResource => {
    const project = find(resources, 'projects', id);
    requireFeature(resources, project, 'ranking_performance');
    return project;
  };
  const dataOf = (project: StoredResource) => datasetOf(resources, project.id, 'ranking_performance');

  serve(api, GET_RANKING_FIELDS, ({ parameters }) => ({
    fields: dataOf(projectOf(parameters.project_id)).columns.map((column) => column.field),
  }));

  serve(api, AGGREGATE_RANKING, async ({ parameters, body, reply }) => {
    const project = projectOf(parameters.project_id);
    const tables = body.aggs.map((query, index) => {
      const path = `aggs[${index}]`;
      return { table: rankingTable(dataOf(project), query, path), window: windowOf(query, path) };
    });
    const text = await rows.use(async (connection) => {
      await charge(
        context,
        reply,
        project,
        tables.map((table) => table.table),
      );
      const answers: string[] = [];
      for (const { table, window } of tables) answers.push(await aggregateRanking(connection, table, window));
      return `{"aggs":[${answers.join(',')}]}`;
    });
    return reply.type('application/json; charset=utf-8').send(text);
  });

  serve(api, EXPORT_RANKING, async ({ parameters, body, request, reply }) => {
    const project = projectOf(parameters.project_id);
    const table = rankingTable(dataOf(project), body.request, 'request');
    const address = `${request.protocol}://${request.host}`;
    const { record, job } = rankingExport(project, table, body, { now: clock.now(), address });
    await charge(context, reply, project, [table]);
    resources.put('data_exports', workspaceOf(resources, project.id), record);
    downloads.start(job);
    return { data_export: publicView(record) };
  });
}

function windowOf({ limit = LIMIT, offset = 0 }: z.output<typeof RankingQuery>, path: string) {
  if (limit <= GREATEST_LIMIT) return { limit, offset };
  throw invalidParameter(`${path}.limit`, 'too_big', `must be at most ${GREATEST_LIMIT}`);
}

/**
 * Deducts the cost of a request from the project's quota, either in full or not at all.
 *
 * @throws Refusal `quota_error` with the message of api-spec.md §7; `Retry-After` is the time until the quota is full
 *   again
 */
async function charge(
  { resources, rows, clock }: Context,
  reply: FastifyReply,
  project: StoredResource,
  tables: readonly RankingTable[],
): Promise<void> {
  const cost = await rows.use(async (connection) => {
    let sum = 0;
    for (const table of tables) {
      await checkPatterns(connection, table);
      sum += costOf(await touchedBy(connection, table));
    }
    return sum;
  });
  const wait = spend(resources, project.id, cost, clock.now());
  if (wait === undefined) return;
  reply.header('retry-after', String(wait));
  throw new Refusal('quota_error', 'Ranking Performance query quota reached.');
}

type ByToken = { Params: { token: string; file: string } };

/** Names for sorting and filtering that are not fields of the records, and their meaning (spec-notes.md 4). */
const ALIASES = {
  created_at: 'requested_at',
  size_bytes: 'output_size_in_bytes',
  row_count: 'output_row_count',
} as const;

/** Data exports of a workspace, including those of ranking performance (api-spec.md §2.12, §4.9). */
export function dataExportRoutes(api: FastifyInstance, context: Context): void {
  const { resources, rows } = context;
  const listed = { rows, names: DATA_EXPORT_LIST_FIELDS, aliases: ALIASES };
  serveList(api, LIST_DATA_EXPORTS, listed, ({ workspace_id }) =>
    resources.list('data_exports', find(resources, 'workspaces', workspace_id).id),
  );
  serve(api, GET_DATA_EXPORT, ({ parameters }) => {
    const workspace = find(resources, 'workspaces', parameters.workspace_id);
    return {
      data_export: publicView(find(resources, 'data_exports', parameters.data_export_id, workspace.id)),
    };
  });
}

/**
 * Registers the files of the download center. Anyone with the address may fetch them until they expire
 * (docs/sandbox.md).
 */
export function downloadRoutes(app: FastifyInstance, { downloads }: Context): void {
  app.get<ByToken>('/:token/:file', async ({ params }, reply) => {
    const found = await downloads.find(params.token);
    if (found === undefined || found.name !== params.file) throw notFound('the download');
    return reply
      .header('content-disposition', `attachment; filename="${found.name}"`)
      .header('content-length', found.size)
      .type(found.name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
      .send(createReadStream(found.path));
  });
}
