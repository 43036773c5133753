import { globSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { installPython } from '../../support/python-environment.ts';
import type { BenchData } from '../bench-data.ts';
import { wayOf } from '../ways.ts';

type Format = 'json' | 'csv';

/** What a tool is to load: a body of the static service, into a file in a folder. */
export interface Job {
  readonly baseUrl: string;
  readonly dataFolder: string;
  readonly data: BenchData;
  readonly format: Format;
  readonly folder: string;
}

interface Command {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A tool that loads a body into DuckDB. */
export interface Tool {
  readonly name: string;
  readonly formats: readonly Format[];
  /** What it leaves in the job's folder. */
  readonly file: string;
  readonly table: (data: BenchData) => readonly [schema: string, table: string];
  /** Installs it. Throws an Error in words where it can't be had. */
  readonly install: () => Promise<(job: Job) => Command>;
}

/** The engine of all of them. */
const DUCKDB = '1.5.6';
const DLT = '1.31.0';
/** The last one on PyPI that contains its binary: newer packages download it from elsewhere at the first start. */
const SLING = '1.4.11';
const OURS = join(import.meta.dirname, '..', 'measure-ours.ts');
const LOAD_DLT = join(import.meta.dirname, 'load-dlt.py');

const crawlhouse: Tool = {
  name: 'crawlhouse',
  formats: ['json', 'csv'],
  file: 'warehouse.duckdb',
  table: (data) => ['raw', `crawl_${data.dataType}`],
  install: async () => (job) => ({
    command: [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      OURS,
      job.baseUrl,
      job.folder,
      job.data.name,
      job.data.dataType,
      job.format,
      String(availableParallelism()),
      job.dataFolder,
      'published',
    ],
  }),
};

function dlt(way: 'default' | 'parquet' | 'arrow', formats: readonly Format[]): Tool {
  return {
    name: `dlt ${DLT}, ${way}`,
    formats,
    file: 'peer.duckdb',
    table: () => ['bench', 't'],
    install: async () => {
      const packages = [`dlt==${DLT}`, `duckdb==${DUCKDB}`, 'pyarrow==26.0.1', 'orjson==3.13.0'];
      const python = join(await installPython('dlt', packages), 'bin', 'python');
      return (job) => ({
        command: [python, LOAD_DLT, urlOf(job), join(job.folder, 'peer.duckdb'), job.format, way],
        env: { HOME: job.folder, RUNTIME__DLTHUB_TELEMETRY: 'false' },
      });
    },
  };
}

const sling: Tool = {
  name: `Sling ${SLING}`,
  formats: ['json', 'csv'],
  file: 'peer.duckdb',
  table: () => ['main', 't'],
  install: async () => {
    const packages = [`sling-linux-amd64==${SLING}`, `duckdb-cli==${DUCKDB}`];
    const folder = await installPython('sling', packages);
    const [binary = ''] = globSync(join(folder, 'lib/python*/site-packages/sling_linux_amd64/bin/sling-*'));
    await chmod(binary, 0o755);
    return (job) => ({
      command: [
        binary,
        'run',
        '--src-stream',
        urlOf(job),
        '--src-options',
        SLING_OPTIONS[job.format],
        '--tgt-conn',
        'PEER',
        '--tgt-object',
        'main.t',
        '--mode',
        'full-refresh',
      ],
      env: {
        HOME: job.folder,
        SLING_DISABLE_TELEMETRY: 'TRUE',
        DUCKDB_PATH: join(folder, 'bin', 'duckdb'),
        // JSON is built in, and is not to be downloaded.
        DUCKDB_USE_INSTALLED_EXTENSIONS: 'true',
        // Its default reads over HTTP, for which DuckDB downloads an extension; files are as fast.
        PEER: `duckdb://${join(job.folder, 'peer.duckdb')}?copy_method=csv_files`,
      },
    });
  },
};

const SLING_OPTIONS = { json: '{format: jsonlines, flatten: true}', csv: '{format: csv, delimiter: ";"}' };

function urlOf({ baseUrl, data, format }: Job): string {
  return `${baseUrl}/storage/v1/b/bench/o/${data.name}.${wayOf(format).extension}?alt=media`;
}

export const TOOLS: readonly Tool[] = [
  crawlhouse,
  dlt('default', ['json']),
  dlt('parquet', ['json']),
  dlt('arrow', ['json', 'csv']),
  sling,
];
