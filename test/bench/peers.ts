import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify, stripVTControlCharacters } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { Database, text } from '../../src/core/duckdb/duckdb.ts';
import { type BenchData, linksData, pagesData, writeBenchData } from './bench-data.ts';
import { CUTS } from './cuts.ts';
import { type Job, TOOLS, type Tool } from './peers/tools.ts';
import { withService } from './with-service.ts';

/**
 * `npm run bench:peers`: crawlhouse beside dlt and Sling, whole processes that load the same bytes of one local service into
 * DuckDB. They take turns, and the figures are medians. Then the service cuts its bodies. `--only` names tools.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '25000' },
    columns: { type: 'string', default: '111' },
    links: { type: 'string', default: '250000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const LIMIT_SECONDS = 900;
const MEASURE = join(import.meta.dirname, 'peers', 'measure.py');
const FORMATS = ['json', 'csv'] as const;
const CUT_DATA = pagesData('cut', 20_000, 20);

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  /** Of all its processes together, in MB. */
  readonly rss: number;
  readonly status: number;
  readonly output: string;
  readonly rows: number;
}

interface Installed {
  readonly tool: Tool;
  readonly commandOf: Awaited<ReturnType<Tool['install']>>;
}

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-peers-'));
const dataFolder = join(folder, 'data');
const sets = [
  pagesData('pages', Number(values.pages), Number(values.columns)),
  linksData(Number(values.links)),
].filter((data) => data.rows > 0);

try {
  const tools = await installAll();
  if (tools.length > 1) {
    for (const data of [...sets, CUT_DATA]) await writeBenchData(dataFolder, data);
    await compareSpeed(tools);
    await compareCuts(tools);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Ours and those peers that can be had; the others are left out in words. */
async function installAll(): Promise<Installed[]> {
  const installed: Installed[] = [];
  for (const tool of TOOLS) {
    if (!tool.name.startsWith('crawlhouse') && !tool.name.includes(values.only)) continue;
    try {
      installed.push({ tool, commandOf: await tool.install() });
    } catch (error) {
      process.stdout.write(`${tool.name} is left out: ${(error as Error).message}\n`);
    }
  }
  return installed;
}

async function compareSpeed(tools: readonly Installed[]): Promise<void> {
  const lines: (string | number)[][] = [];
  await withService([dataFolder], async (baseUrl) => {
    for (const data of sets)
      for (const format of FORMATS) {
        const rounds = new Map<Installed, Measured[]>(
          tools.filter(({ tool }) => tool.formats.includes(format)).map((one) => [one, []]),
        );
        for (let round = 0; round < Number(values.rounds); round++)
          for (const [one, measured] of rounds) {
            const took = await measure(one, { baseUrl, data, format });
            if (took.status !== 0 || took.rows !== data.rows)
              throw new Error(`${one.tool.name} loaded ${took.rows} of ${data.rows} rows: ${took.output}`);
            measured.push(took);
          }
        lines.push(...linesOf(data, format, rounds));
      }
  });
  const head = ['data', 'format', 'tool', 's', 'times ours', 'CPU s', 'times ours', 'peak MB', 'rows'];
  process.stdout.write(textTable(head, lines));
  process.stdout.write(`Load of the machine: ${loadavg()[0]?.toFixed(1)}\n`);
}

function linesOf(
  data: BenchData,
  format: string,
  rounds: ReadonlyMap<Installed, readonly Measured[]>,
): (string | number)[][] {
  const [ours = []] = rounds.values();
  return [...rounds].map(([{ tool }, measured]) => {
    const [seconds, cpu] = [median(measured, 'seconds'), median(measured, 'cpu')];
    return [
      `${data.name} ${data.rows} × ${data.fields.length}`,
      format,
      tool.name,
      round(seconds),
      round(seconds / median(ours, 'seconds')),
      round(cpu),
      round(cpu / median(ours, 'cpu')),
      median(measured, 'rss'),
      data.rows,
    ];
  });
}

async function compareCuts(tools: readonly Installed[]): Promise<void> {
  const lines: (string | number)[][] = [];
  for (const [cut] of Object.entries(CUTS))
    await withService([dataFolder, '0', cut], async (baseUrl) => {
      for (const format of FORMATS)
        for (const one of tools.filter(({ tool }) => tool.formats.includes(format))) {
          const { status, rows, output } = await measure(one, { baseUrl, data: CUT_DATA, format });
          const isSilent = status === 0 && rows < CUT_DATA.rows;
          lines.push([cut, format, one.tool.name, status, rows, isSilent ? 'yes' : 'no', lastLine(output)]);
        }
    });
  const head = ['cut', 'format', 'tool', 'exit', 'rows', 'lost without a word', 'last line'];
  process.stdout.write(`\nHalf of ${CUT_DATA.rows} rows:\n${textTable(head, lines)}`);
}

async function measure(
  { tool, commandOf }: Installed,
  what: Pick<Job, 'baseUrl' | 'data' | 'format'>,
): Promise<Measured> {
  const place = await mkdtemp(join(folder, 'round-'));
  try {
    const { command, env } = commandOf({ ...what, dataFolder, folder: place });
    const { stdout } = await promisify(execFile)('python3', [MEASURE, String(LIMIT_SECONDS), ...command], {
      env: { ...process.env, ...env },
      maxBuffer: 64 * 1024 * 1024,
    });
    const [schema, name] = tool.table(what.data);
    return { ...JSON.parse(stdout), rows: await countRows(join(place, tool.file), schema, name) };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** None where the file or the table is missing. */
async function countRows(path: string, schema: string, name: string): Promise<number> {
  if (!existsSync(path)) return 0;
  await using database = await Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  using connection = await database.connect();
  await connection.run(`ATTACH ${text(path)} AS made (READ_ONLY)`);
  const found = await connection.scalar(
    "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'made' AND schema_name = ? AND table_name = ?",
    [schema, name],
  );
  return Number(found) === 0
    ? 0
    : Number(await connection.scalar(`SELECT count(*) FROM made.${schema}.${name}`));
}

function lastLine(output: string): string {
  return stripVTControlCharacters(output).trim().split('\n').at(-1)?.trim().slice(0, 120) ?? '';
}

function median(rounds: readonly Measured[], of: 'seconds' | 'cpu' | 'rss'): number {
  const sorted = rounds.map((one) => one[of]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function round(number: number): number {
  return Number(number.toFixed(1));
}
