import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import { and, or, where } from '../../src/client/oql/build-oql.ts';
import { Database, ident, table, text } from '../../src/core/duckdb/duckdb.ts';

/**
 * `node test/bench/sandbox-bench.ts`: exports of the sandbox beside DuckDB writing the same rows itself, and a search
 * with a filter of three levels beside counting all rows.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000000' },
    columns: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  },
});
const rounds = Number(values.rounds);
const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-sandbox-bench-'));
const state = join(folder, 'state');

try {
  const served = await measureSandbox();
  const written = await measureDuckdb(served.fields);
  const rows = served.exports.map(({ format, seconds, megabytes }) => {
    const baseline = written.get(format) ?? Number.NaN;
    return [`export ${format}`, seconds, megabytes, baseline, (baseline / seconds).toFixed(2)];
  });
  process.stdout.write(textTable(['what', 's', 'MB', 'DuckDB s', 'speed against it'], rows));
  process.stdout.write(textTable(['search', 's'], served.searches));
  process.stdout.write(`resident at most ${served.peak} MB\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Served {
  readonly fields: readonly string[];
  readonly exports: readonly { format: 'csv' | 'json'; seconds: number; megabytes: number }[];
  readonly searches: (string | number)[][];
  readonly peak: number;
}

async function measureSandbox(): Promise<Served> {
  const server = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../../src/app/cli/main.ts'),
      'sandbox',
      'start',
      '--quiet',
      '--state',
      state,
      '--ready-file',
      join(folder, 'ready.json'),
      '--generate',
      `pages=${values.pages},columns=${values.columns},seed=7`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  try {
    const ready = await readyOf(server);
    await using client = new ServiceClient({ baseUrl: ready.base_url, accessToken: ready.access_token });
    const crawl = await onlyCrawl(client);
    const exports = [];
    for (const format of ['csv', 'json'] as const) {
      let bytes = 0;
      const seconds = await median(async () => {
        bytes = 0;
        const answer = await client.export(
          { kind: 'crawl', id: crawl, dataType: 'pages' },
          {},
          { fileType: format, gzip: false },
        );
        for await (const piece of answer.body) bytes += (piece as Buffer).length;
      });
      exports.push({ format, seconds, megabytes: Math.round(bytes / 1e6) });
    }
    const filter = and(
      where('status_code').gte(200),
      or(
        where('url').contains('/NEWS/', { ci: true }),
        and(where('title').hasValue(), where('depth').between([3, 6])),
      ),
    );
    const asked = { limit: 100, oql: filter };
    const bySort = { ...asked, sort: [{ field: 'url', order: 'desc' as const }] };
    const searches = [
      ['all rows', await median(() => client.search({ kind: 'crawl', id: crawl, dataType: 'pages' }, {}))],
      [
        'three levels',
        await median(() => client.search({ kind: 'crawl', id: crawl, dataType: 'pages' }, asked)),
      ],
      [
        'three levels, sorted',
        await median(() => client.search({ kind: 'crawl', id: crawl, dataType: 'pages' }, bySort)),
      ],
    ];
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
    const fields = (await client.fields({ kind: 'crawl', id: crawl, dataType: 'pages' })).map(
      (field) => field.name,
    );
    return { fields, exports, searches, peak: Math.round(Number(peak) / 1024) };
  } finally {
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
  }
}

async function readyOf(server: ChildProcess): Promise<{ base_url: string; access_token: string }> {
  const file = join(folder, 'ready.json');
  while (!existsSync(file)) {
    if (server.exitCode !== null) throw new Error('the sandbox did not start');
    await sleep(100);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as { base_url: string; access_token: string };
}

async function onlyCrawl(client: ServiceClient): Promise<string> {
  for await (const workspace of client.list('workspaces', {})) {
    for await (const crawl of client.list('crawls', { workspace_id: workspace.id })) return crawl.id;
  }
  throw new Error('no crawl was generated');
}

/** Seconds that DuckDB takes to write the same rows under the same names, with the threads and the memory of the sandbox. */
async function measureDuckdb(fields: readonly string[]): Promise<ReadonlyMap<string, number>> {
  await using database = await Database.open({
    memoryLimit: '300MB',
    threads: 2,
    tempDirectory: join(folder, 'spill'),
  });
  using connection = await database.connect();
  await connection.run('SET preserve_insertion_order = true');
  await connection.run(`ATTACH ${text(join(state, 'rows.duckdb'))} AS rows (READ_ONLY)`);
  const name = await connection.scalar(
    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'rows' ORDER BY estimated_size DESC LIMIT 1",
  );
  const named = fields.map((field, index) => `c${index} AS ${ident(field)}`).join(', ');
  const seconds = new Map<string, number>();
  for (const [format, options] of [
    ['csv', "FORMAT csv, HEADER, DELIMITER ';'"],
    ['json', 'FORMAT json'],
  ] as const) {
    const file = join(folder, `baseline.${format}`);
    const copy = `COPY (SELECT ${named} FROM ${table('rows', 'main', String(name))}) TO ${text(file)} (${options})`;
    seconds.set(format, await median(() => connection.run(copy)));
    if (statSync(file).size === 0) throw new Error('the baseline wrote nothing');
  }
  return seconds;
}

/** Seconds, the median of all rounds. */
async function median(work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work();
    taken.push((performance.now() - begun) / 1000);
  }
  return Number((taken.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN).toFixed(2));
}
