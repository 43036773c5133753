import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import { type BenchData, linksData, pagesData, writeBenchData } from './bench-data.ts';
import { WAYS, wayOf } from './ways.ts';
import { withService } from './with-service.ts';

/** `auto` is one of the others, for each data. */
const DEFAULT_WAYS = Object.keys(WAYS).filter((way) => WAYS[way]?.asked === undefined);

/**
 * `npm run bench`: service to queryable, beside the baseline that a person would write, in the same run. Machines are
 * noisy, so the two take turns and the ratio is that of the medians. With `--profile` it shows what each step costs.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '200000' },
    columns: { type: 'string', default: '111' },
    links: { type: 'string', default: '2000000' },
    wide: { type: 'string', default: '100000' },
    'wide-columns': { type: 'string', default: '750' },
    ways: { type: 'string', default: DEFAULT_WAYS.join(',') },
    throttle: { type: 'string', default: '50,100' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: String(availableParallelism()) },
    data: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-bench-'));
const dataFolder = values.data ?? join(folder, 'data');
const sets: BenchData[] = [
  pagesData('pages', Number(values.pages), Number(values.columns)),
  linksData(Number(values.links)),
  pagesData('wide', Number(values.wide), Number(values['wide-columns'])),
].filter((data) => data.rows > 0);

/** What `measure-steps.ts` measures, in the order of a unit. */
const STEPS = [
  'receive',
  'hash',
  'write',
  'keys',
  'read',
  'convert',
  'encode',
  'check',
  'seal',
  'columns',
  'insert',
  'checkpoint',
  'other',
];
const ways = values.ways.split(',').filter((way) => wayOf(way));
const HEAD = [
  'data',
  'way',
  'ours s',
  'rows/s',
  'ours CPU s',
  'ours MB',
  'baseline s',
  'baseline CPU s',
  'baseline MB',
  'ratio',
  'CPU ratio',
];

try {
  for (const data of sets) await writeBenchData(dataFolder, data);
  if (values.profile) await withService([dataFolder], printProfile);
  else await compareAll();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compareAll(): Promise<void> {
  await withService([dataFolder], async (baseUrl) => {
    const rows: (string | number)[][] = [];
    for (const data of sets) for (const way of ways) rows.push(await compare(baseUrl, data, way));
    process.stdout.write(textTable([...HEAD, 'models s', 'publish s'], rows));
    const pairs: (string | number)[][] = [];
    for (const data of sets) pairs.push(await pair(baseUrl, data));
    const head = ['data', 'way', 'two one by one s', 'two at once s', 'ratio'];
    process.stdout.write(`\n${textTable(head, pairs)}`);
  });
  for (const megabytes of values.throttle.split(',').filter((one) => Number(one) > 0))
    await withService([dataFolder, String(Number(megabytes) * 1e6)], async (baseUrl) => {
      const rows: (string | number)[][] = [];
      for (const data of sets) rows.push(await throttled(baseUrl, data));
      const head = ['data', 'way', `transfer s at ${megabytes} MB/s`, 'ours s', 'ratio'];
      process.stdout.write(`\n${textTable(head, rows)}`);
    });
}

/** Processor seconds of the steps of a unit on one thread, medians of the rounds. */
async function printProfile(baseUrl: string): Promise<void> {
  const table: (string | number)[][] = [];
  for (const data of sets)
    for (const way of ways) {
      const measured: Readonly<Record<string, number>>[] = [];
      for (let round = 0; round < Number(values.rounds); round++)
        measured.push(await measure('measure-steps.ts', baseUrl, data, way));
      const base = await measure<Measured>('measure-baseline.ts', baseUrl, data, way);
      const seconds = STEPS.map((step) => median(measured.map((one) => one[step] ?? 0)));
      const total = seconds.reduce((sum, one) => sum + one, 0);
      table.push([titleOf(data), way, ...seconds.map(round), round(total), round(base.cpu)]);
    }
  process.stdout.write(textTable(['data', 'way', ...STEPS, 'total', 'baseline'], table));
}

interface Measured {
  readonly seconds: number;
  /** Of all processors together. */
  readonly cpu: number;
  readonly rss: number;
  readonly models: number;
  readonly publish: number;
  /** Of the baseline: until the bytes were on disk. */
  readonly transfer: number;
}

async function compare(baseUrl: string, data: BenchData, way: string): Promise<(string | number)[]> {
  const ours: Measured[] = [];
  const baseline: Measured[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    ours.push(await measure<Measured>('measure-ours.ts', baseUrl, data, way));
    baseline.push(await measure<Measured>('measure-baseline.ts', baseUrl, data, way));
  }
  const seconds = median(ours.map((one) => one.seconds));
  const base = median(baseline.map((one) => one.seconds));
  const cpu = median(ours.map((one) => one.cpu));
  const baseCpu = median(baseline.map((one) => one.cpu));
  return [
    titleOf(data),
    way,
    round(seconds),
    Math.round(data.rows / seconds),
    round(cpu),
    Math.max(...ours.map((one) => one.rss)),
    round(base),
    round(baseCpu),
    Math.max(...baseline.map((one) => one.rss)),
    round(seconds / base),
    round(cpu / baseCpu),
    round(median(ours.map((one) => one.models))),
    round(median(ours.map((one) => one.publish))),
  ];
}

/** Two units one after the other and at once, by the first of the ways. */
async function pair(baseUrl: string, data: BenchData): Promise<(string | number)[]> {
  const way = ways[0] ?? '';
  const seconds = async (units: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < Number(values.rounds); round++)
      times.push((await measure<Measured>('measure-ours.ts', baseUrl, data, way, units)).seconds);
    return median(times);
  };
  const [apart, together] = [await seconds('two one by one'), await seconds('two at once')];
  return [titleOf(data), way, round(apart), round(together), round(together / apart)];
}

/** A load from a slow source beside the transfer alone: what the work adds to the wait. */
async function throttled(baseUrl: string, data: BenchData): Promise<(string | number)[]> {
  const way = ways[0] ?? '';
  const { transfer } = await measure<Measured>('measure-baseline.ts', baseUrl, data, way);
  const { seconds } = await measure<Measured>('measure-ours.ts', baseUrl, data, way);
  return [titleOf(data), way, round(transfer), round(seconds), round(seconds / transfer)];
}

function titleOf({ name, rows, fields }: BenchData): string {
  return `${name} ${rows} × ${fields.length}`;
}

async function measure<T = Record<string, number>>(
  script: string,
  baseUrl: string,
  data: BenchData,
  way: string,
  units = '1',
): Promise<T> {
  const place = await mkdtemp(join(folder, 'round-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, script),
      baseUrl,
      place,
      data.name,
      data.dataType,
      way,
      values.threads,
      dataFolder,
      units,
    ]);
    return JSON.parse(stdout) as T;
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
