import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { ON_REJECT, SCHEMA_CHANGE } from '../model/pipeline.ts';
import { AlertSettings } from './alert-settings.ts';

const Names = z.union([z.literal('all'), z.array(z.string()).min(1)]);
const WholeNumber = z.int().positive();
const Given = z.string('a text is expected').min(1, 'a text is expected');
const SINCE = 'all or a date such as 2026-01-31 is expected';

/** A registered application and the leave that somebody gave it (docs/client.md, "OAuth2"). */
const OAuthSettings = z.strictObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  refresh_token: z.string().min(1),
  token_url: z
    .url({ protocol: /^https?$/, error: 'an address is expected' })
    .optional()
    .describe('Where tokens are asked for; <base_url>/oauth/token where nothing is said.'),
});
export type OAuthSettings = z.output<typeof OAuthSettings>;

const Prefix = z
  .string()
  .default('')
  .transform((prefix) => prefix.replace(/^\/+|\/+$/g, ''))
  .describe('What the keys of data exports begin with; slashes at its ends do not count.');
const Endpoint = z
  .url({ protocol: /^https?$/, error: 'an address is expected' })
  .optional()
  .describe("The address of an emulator, or of a store that speaks like the cloud's own.");

/** Every setting, as crawlhouse.yaml writes it (docs/settings.md). */
export const SettingsFile = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: 'an address is expected, such as https://service.example' })
    .optional()
    .describe('Address of the service, without /api/v2.'),
  access_token: z.string().min(1).optional().describe('Needs account:read and projects:read.'),
  oauth: OAuthSettings.optional().describe('In place of access_token.'),
  workspaces: Names.default('all').describe('Ids of the workspaces to read.'),
  projects: Names.default('all').describe('Ids or names of the projects to read.'),
  since: z
    .union([z.literal('all'), z.iso.date(SINCE)], { error: SINCE })
    .default('all')
    .describe("How far back a first run reaches: all, or a day (UTC) that a crawl's end is held against."),
  warehouse: z.string().min(1).default('warehouse.duckdb').describe('The published warehouse.'),
  state_dir: z.string().min(1).default('.crawlhouse').describe('Ledger, packages, working copy, logs.'),
  memory_limit: z
    .string()
    .regex(/^\d+(\.\d+)?\s*([KMGT]i?B)$/i, 'a size is expected, such as 400MB or 2GB')
    .default('400MB')
    .describe('What DuckDB may hold in memory at once.'),
  threads: WholeNumber.default(availableParallelism).describe('Threads of DuckDB.'),
  concurrency: WholeNumber.default(2).describe('Units at once, the projects in turn.'),
  concurrency_per_project: WholeNumber.default(2).describe('Of them, units of one project.'),
  concurrency_per_store: WholeNumber.default(2).describe(
    'Of them, units whose data exports go to one store.',
  ),
  requests_per_second: z.number().positive().optional().describe('No more than this many; none: no limit.'),
  sweep_days: WholeNumber.default(7).describe('Days after which the long lists are read to their end again.'),
  compression: z.enum(['auto', 'gzip', 'none']).default('auto').describe('Of what is downloaded.'),
  keep_raw: z
    .union([z.enum(['never', 'until_published']), z.strictObject({ days: WholeNumber })], {
      error: 'never, until_published or {days: N} is expected',
    })
    .default('never')
    .describe('How long raw files stay on disk.'),
  keep_exports: z
    .enum(['always', 'never'])
    .default('always')
    .describe('Whether the objects of a data export stay in the store once they are loaded.'),
  shipped_models: z
    .enum(['all', 'none'])
    .default('all')
    .describe('Whether the models and questions that ship are used, besides those of the project.'),
  unarchive_per_run: WholeNumber.default(5).describe(
    'Archived crawls that one run may have restored, where a pipeline says unarchive.',
  ),
  store_a: z
    .strictObject({ bucket: Given, prefix: Prefix, endpoint: Endpoint })
    .optional()
    .describe('A bucket of Google Cloud Storage for data exports.'),
  store_b: z
    .strictObject({
      bucket: Given,
      prefix: Prefix,
      region: Given,
      endpoint: Endpoint,
      credentials_secret: Given.optional().describe(
        'The secret by which the service writes to it: its name.',
      ),
    })
    .optional()
    .describe('A bucket of S3 for data exports.'),
  logs: z
    .strictObject({
      megabytes: z.number().positive().default(20).describe('From this size on the next file is begun.'),
      days: WholeNumber.default(30).describe('Files whose last line is older are removed.'),
    })
    .prefault({})
    .describe('The log files under state_dir; at most 50 are kept.'),
  mirror: z
    .strictObject({
      store: z.enum(['store_a', 'store_b']).describe('Where to.'),
      prefix: Prefix.default('mirror').describe('What the keys of the mirror begin with.'),
      tables: z
        .array(z.string().regex(/^(raw|mart)\.\w+$/, 'a table is expected, such as mart.pages'))
        .min(1)
        .describe('Tables and views of `raw` and `mart`.'),
    })
    .optional()
    .describe('Tables that each publication brings to a store as partitioned Parquet (docs/query.md).'),
  on_reject: z.enum(ON_REJECT).default('fail').describe('What a value that does not survive its type does.'),
  schema_change: z.enum(SCHEMA_CHANGE).default('evolve').describe("What fields unlike the dataset's do."),
  schedule_listen: z
    .string()
    .regex(/^.+:\d{1,5}$/, 'an address is expected, such as 127.0.0.1:8090')
    .optional()
    .describe('Where `crawlhouse schedule` answers /healthz, /readyz and /webhook; none: nowhere.'),
  schedule_grace: z
    .number()
    .min(0)
    .default(60)
    .describe('Seconds that a run may take to its end once the service is told to stop.'),
  webhook_secret: Given.optional().describe('The secret that the service signs its webhooks with.'),
  volume_check: z
    .strictObject({
      min_ratio: z
        .number()
        .min(0)
        .max(1)
        .default(0.5)
        .describe('Below this share of the usual rows a crawl is told of; 0: none is.'),
      hold: z.boolean().default(false).describe('Whether such a crawl is kept out until somebody names it.'),
    })
    .prefault({})
    .describe('Crawls with far fewer rows than those before them.'),
  alerts: AlertSettings.prefault({}).describe('Who is told of troubles, and of which.'),
});
