import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { textTable } from '../../src/cli/text-table.ts';
import { type BenchData, linksData, pagesData, writeBenchData } from './bench-data.ts';

/**
 * `npm run bench`: service to queryable, beside the baseline that a person would write, in the same run. Machines are
 * noisy, so the two take turns and the ratio is that of the medians.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '200000' },
    columns: { type: 'string', default: '111' },
    links: { type: 'string', default: '2000000' },
    wide: { type: 'string', default: '100000' },
    'wide-columns': { type: 'string', default: '750' },
    formats: { type: 'string', default: 'json,csv' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: String(availableParallelism()) },
    data: { type: 'string' },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-bench-'));
const dataFolder = values.data ?? join(folder, 'data');
const sets: BenchData[] = [
  pagesData('pages', Number(values.pages), Number(values.columns)),
  linksData(Number(values.links)),
  pagesData('wide', Number(values.wide), Number(values['wide-columns'])),
].filter((data) => data.rows > 0);

try {
  for (const data of sets) await writeBenchData(dataFolder, data);
  const server = spawn(process.execPath, [join(import.meta.dirname, 'static-service.ts'), dataFolder]);
  const [port] = await once(server.stdout, 'data');
  const baseUrl = `http://127.0.0.1:${String(port).trim()}`;
  const rows: (string | number)[][] = [];
  for (const data of sets) {
    for (const format of values.formats.split(',')) rows.push(await compare(baseUrl, data, format));
  }
  server.kill();
  process.stdout.write(
    textTable(
      [
        'data',
        'format',
        'ours s',
        'rows/s',
        'ours MB',
        'baseline s',
        'baseline MB',
        'ratio',
        'models s',
        'publish s',
      ],
      rows,
    ),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Measured {
  readonly seconds: number;
  readonly rss: number;
  readonly models: number;
  readonly publish: number;
}

async function compare(baseUrl: string, data: BenchData, format: string): Promise<(string | number)[]> {
  const ours: Measured[] = [];
  const baseline: Measured[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    ours.push(await measure('measure-ours.ts', baseUrl, data, format));
    baseline.push(await measure('measure-baseline.ts', baseUrl, data, format));
  }
  const seconds = median(ours.map((one) => one.seconds));
  const base = median(baseline.map((one) => one.seconds));
  return [
    `${data.name} ${data.rows} × ${data.fields.length}`,
    format,
    round(seconds),
    Math.round(data.rows / seconds),
    Math.max(...ours.map((one) => one.rss)),
    round(base),
    Math.max(...baseline.map((one) => one.rss)),
    round(seconds / base),
    round(median(ours.map((one) => one.models))),
    round(median(ours.map((one) => one.publish))),
  ];
}

async function measure(script: string, baseUrl: string, data: BenchData, format: string): Promise<Measured> {
  const place = await mkdtemp(join(folder, 'round-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, script),
      baseUrl,
      place,
      data.name,
      data.dataType,
      format,
      values.threads,
      dataFolder,
    ]);
    return JSON.parse(stdout) as Measured;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
