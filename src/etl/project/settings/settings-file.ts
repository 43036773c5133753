import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { LogRules } from '../../../core/logs/log-rules.ts';
import { PostgresUrl } from '../../../core/net/postgres-address.ts';
import { STORE_NAMES, STORE_SETTINGS } from '../../../core/stores/registry.ts';
import { bytesOf } from '../../../core/text/amounts.ts';
import { address, Given, Prefix } from '../../../core/text/setting-types.ts';
import { MOST_COLUMNS } from '../model/field.ts';
import { ON_REJECT, SCHEMA_CHANGE } from '../model/pipeline.ts';
import { AlertSettings } from './alert-settings.ts';
import { ChangeSettings } from './change-settings.ts';
import { ConsoleOidcSettings, ConsoleUrl } from './console-settings.ts';
import { DAYS_OF_CRAWL, IssueSettings } from './issue-settings.ts';
import { TicketSettings } from './tickets/tickets.ts';

/** The receivers of OpenLineage events (docs/operate.md). */
export const LineageSettings = z.strictObject({
  url: address('an address is expected, such as http://127.0.0.1:5000/api/v1/lineage')
    .optional()
    .describe('The URL that receives each event as a POST request.'),
  api_key: z.string().min(1).optional().describe('Sent with each event as a bearer token.'),
  file: z.string().min(1).optional().describe('A file to append each event to, as a line of JSON.'),
  namespace: z.string().min(1).default('crawlhouse').describe('The namespace of the jobs.'),
  dataset_namespace: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The namespace of the tables; default: the namespace of dbt's integration (docs/operate.md#openlineage).",
    ),
  database: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The database in the names of tables; default: the name of the warehouse file (docs/operate.md#openlineage).',
    ),
});

export type LineageSettings = z.output<typeof LineageSettings>;

/** Search Console keeps 16 months. */
export const MOST_DAYS = 500;

/** The setting `search_console`. */
const SearchConsoleSettings = z.strictObject({
  property: Given.optional().describe(
    'The property to read, such as sc-domain:example.com; default: the property that covers the website.',
  ),
  days: z
    .int()
    .positive()
    .max(MOST_DAYS)
    .default(90)
    .describe('The number of days before today that the first sync reads; Search Console keeps 16 months.'),
  endpoint: address('an address is expected')
    .default('https://www.googleapis.com')
    .describe('The address of the API, for tests.'),
});

const EXPECTED = 'an address such as http://proxy.example:3128 is expected';

/** The setting `crawl_proxy`. */
const CrawlProxySettings = z.strictObject({
  url: address(EXPECTED)
    .refine((text) => /^http:\/\/[^/]+\/?$/i.test(text), EXPECTED)
    .describe('The address of an HTTP proxy.'),
  username: Given.regex(/^[^:]+$/, 'a name without a colon is expected')
    .optional()
    .describe('The user name for the proxy.'),
  password: z.string().optional().describe('The password for the proxy.'),
});

const Names = z.union([z.literal('all'), z.array(z.string()).min(1)]);
const WholeNumber = z.int().positive();
const Positive = z.number().positive();
const Path = z.string().min(1);
const Size = z.string().regex(/^\d+(\.\d+)?\s*([KMGT]i?B)$/i, 'a size is expected, such as 400MB or 2GB');
/** Size in bytes of the longest record that DuckDB reads with our settings (`stage/raw-reader.ts`). */
const MOST_RECORD = 16 * 1024 * 1024;
/** `HOST:PORT`. */
const listenAt = (example: string) =>
  z
    .string()
    .regex(/^.+:\d{1,5}$/, `an address is expected, such as ${example}`)
    .optional();
const SINCE = 'all or a date such as 2026-01-31 is expected';

/**
 * A header value. It must not contain line breaks or other control characters, which could end the header or begin
 * another one.
 */
export const ServiceAddress = address('an address is expected, such as https://service.example');
export const Token = z
  .string()
  .min(1)
  .refine((text) => !/[^\x21-\x7e]/.test(text), 'it contains white space or a character beyond ASCII');

/** A registered application and the grant of a person (docs/client.md, "OAuth2"). */
const OAuthSettings = z.strictObject({
  client_id: Given.describe('The identifier of the application.'),
  client_secret: Given.describe('Its secret.'),
  refresh_token: Given.describe(
    'The refresh token of the grant; crawlhouse stores later tokens in state_dir.',
  ),
  token_url: address('an address is expected')
    .optional()
    .describe('The address of the token endpoint; default: <base_url>/oauth/token.'),
});
export type OAuthSettings = z.output<typeof OAuthSettings>;

/**
 * Returns the schema of crawlhouse.yaml, with every setting. Its descriptions appear in the reference and in editors.
 *
 * @param warehouse the schema of the `warehouse` setting, which the engines provide
 */
export const settingsFile = <Warehouse extends z.ZodType>(warehouse: Warehouse) =>
  z.strictObject({
    base_url: ServiceAddress.optional().describe('Address of the service, without /api/v2.'),
    access_token: Token.optional().describe(
      'The access token, with the scopes account:read and projects:read.',
    ),
    oauth: OAuthSettings.optional().describe(
      'Instead of access_token: an application and the grant of a person (docs/client.md#oauth2).',
    ),
    workspaces: Names.default('all').describe('Ids of the workspaces to read.'),
    projects: Names.default('all').describe('Ids or names of the projects to read.'),
    since: z
      .union([z.literal('all'), z.iso.date(SINCE)], { error: SINCE })
      .default('all')
      .describe('How far back a first run goes: all, or the first day (UTC) on which a crawl ended.'),
    warehouse,
    ledger: PostgresUrl.optional().describe(
      'A ledger shared by several machines: postgres://USER:PASSWORD@HOST:PORT/DATABASE?project=NAME (docs/operate.md#a-shared-ledger); default: SQLite in state_dir.',
    ),
    state_dir: Path.default('.crawlhouse').describe(
      'The folder of ledger, packages, working copy and logs; you can delete it between runs.',
    ),
    memory_limit: Size.default('400MB').describe('Memory of DuckDB; the process needs 100 to 300 MB more.'),
    threads: WholeNumber.default(availableParallelism).describe(
      'Threads of DuckDB; default: the cores of the machine.',
    ),
    concurrency: WholeNumber.default(2).describe('Units at a time; the projects take turns.'),
    concurrency_per_project: WholeNumber.default(2).describe('Units of one project at a time.'),
    concurrency_per_store: WholeNumber.default(2).describe('Units with data exports to one store at a time.'),
    publish_every: Positive.default(10).describe(
      'Minutes after which a run publishes loaded units while it works on others.',
    ),
    requests_per_second: Positive.optional().describe(
      'The maximum number of requests per second of all processes that share a ledger; default: no limit.',
    ),
    sweep_days: WholeNumber.default(7).describe(
      'Days between two full resyncs of a long list (docs/ledger.md#discovery).',
    ),
    compression: z
      .enum(['auto', 'gzip', 'none'])
      .default('auto')
      .describe('Compression of downloads; auto: gzip, except for a service on this machine.'),
    keep_raw: z
      .union(
        [
          z.enum(['never', 'until_published']),
          z.strictObject({ days: WholeNumber.describe('Days to keep them.') }),
        ],
        { error: 'never, until_published or {days: N} is expected' },
      )
      .default('never')
      .describe(
        'How long raw files stay on disk: only until staged (never), until published, or for some days.',
      ),
    keep_exports: z
      .enum(['always', 'never'])
      .default('always')
      .describe('Whether the objects of a data export stay in the store after publication.'),
    shipped_models: z
      .enum(['all', 'none'])
      .default('all')
      .describe(
        'Whether to use the shipped models and questions, next to the models of the project (docs/models.md).',
      ),
    issues: IssueSettings.default({}).describe(
      'Turns issues off, or changes their severity or thresholds, for all projects, one project, or a segment (docs/explore.md#settings-of-issues).',
    ),
    changes: ChangeSettings.default({}).describe(
      'Which changes of a website are incidents, for all projects or one project (docs/operate.md#events).',
    ),
    crawl_days: WholeNumber.max(366)
      .default(DAYS_OF_CRAWL)
      .describe(
        'How many days of log files and search results belong to a crawl (docs/definitions.md#days-of-a-crawl).',
      ),
    unarchive_per_run: WholeNumber.default(5).describe(
      'The maximum number of archived crawls that one run restores, if a pipeline has unarchive.',
    ),
    ...STORE_SETTINGS,
    logs: z
      .strictObject({
        megabytes: Positive.default(20).describe('The maximum size of a log file.'),
        days: WholeNumber.default(30).describe(
          'Days after which crawlhouse removes a log file, from its last line.',
        ),
      })
      .prefault({})
      .describe('The log files under state_dir, at most 50 (docs/operate.md#logs).'),
    mirror: z
      .strictObject({
        store: z.enum(STORE_NAMES).describe('The target store.'),
        prefix: Prefix.default('mirror').describe('The prefix of the keys of the mirror.'),
        tables: z
          .array(z.string().regex(/^(raw|mart)\.\w+$/, 'a table is expected, such as mart.pages'))
          .min(1)
          .describe('Tables and views of `raw` and `mart`.'),
        format: z
          .enum(['parquet', 'iceberg'])
          .default('parquet')
          .describe('Partitioned Parquet files, or Iceberg tables of Parquet files.'),
        snapshots: WholeNumber.default(5).describe(
          'Snapshots of each Iceberg table to keep readable, including the current one.',
        ),
      })
      .optional()
      .describe('Tables to copy to a store after each publication (docs/query.md).'),
    packages: z
      .strictObject({
        store: z.enum(STORE_NAMES).describe('The target store.'),
        prefix: Prefix.default('packages').describe('The prefix of the keys of packages.'),
      })
      .optional()
      .describe('The store through which workers send packages to the run (docs/operate.md#workers).'),
    limits: z
      .strictObject({
        answer: Size.default('64MB').describe(
          'The maximum size of a JSON answer, such as a page of a list or of a search, or the fields of a crawl.',
        ),
        record: Size.default('16MB')
          .refine((size) => bytesOf(size) <= MOST_RECORD, 'at most 16MB, which DuckDB reads')
          .describe('The maximum length of a record of an export; the default is also the highest value.'),
        fields: WholeNumber.max(MOST_COLUMNS)
          .default(MOST_COLUMNS)
          .describe('The maximum number of fields in the records of a dataset; you can only lower it.'),
        bytes_per_row: Size.default('1MB').describe(
          'The maximum average bytes per row of an export, decompressed; crawlhouse always accepts 64 MB.',
        ),
        rate: WholeNumber.default(1_000).describe(
          'The minimum rate of a download in bytes per second, over each minute of waiting.',
        ),
        export_wait: Positive.default(360).describe(
          'Minutes to wait for a data export; the next run continues to wait for it.',
        ),
        unarchive_wait: Positive.default(360).describe(
          'Minutes to wait while a crawl is restored from the archive.',
        ),
        unit_time: Positive.default(10).describe(
          'Minutes to receive the rows of a unit, plus the time by `unit_rate`.',
        ),
        unit_rate: Positive.default(20).describe(
          'The minimum number of rows per second: 72,000 rows can take one hour more than `unit_time`.',
        ),
      })
      .prefault({})
      .describe('Limits for data from the service and the stores (docs/settings.md#limits).'),
    rendering: z
      .strictObject({
        browser: Path.optional().describe(
          'The path of Chromium or Chrome; default: the browser of the system, else of Playwright.',
        ),
        tabs: WholeNumber.max(16)
          .optional()
          .describe('Pages to render at a time; default: one per core, limited by memory.'),
        media: z.boolean().default(false).describe('Whether to fetch images, media and fonts of pages.'),
      })
      .prefault({})
      .describe('How crawls of websites render pages (docs/crawler.md#rendering).'),
    vitals: z
      .strictObject({
        pages_per_template: z
          .union([z.int().min(0), z.literal('all')])
          .default(0)
          .describe('Pages of each template to measure; 0: none.'),
        loads: WholeNumber.max(9).default(3).describe('Loads of each page; the median counts.'),
      })
      .prefault({})
      .describe('How crawls of websites measure web vitals (docs/crawler.md#web-vitals).'),
    crawl_proxy: CrawlProxySettings.optional().describe(
      'The proxy of crawls with use_proxy in their configuration (docs/crawler.md#through-a-proxy).',
    ),
    search_console: SearchConsoleSettings.prefault({}).describe(
      'How demand sync reads Search Console (docs/demand.md#from-the-search-console-api).',
    ),
    access_logs: LogRules.prefault({}).describe('How to read access logs (docs/logs.md#privacy).'),
    query_timeout: Positive.default(3600).describe(
      'Time limit of a query in seconds (docs/query.md#limits).',
    ),
    query_memory_limit: Size.default('400MB').describe(
      'Memory of DuckDB for a query; crawlhouse ends the process at 500 MB more.',
    ),
    query_temp_limit: Size.default('10GB').describe('The maximum bytes that a query spills to disk.'),
    query_row_limit: WholeNumber.default(100_000_000).describe('The maximum number of rows of a query.'),
    query_result_limit: Size.default('100GB').describe('The maximum bytes that a query prints or writes.'),
    mcp_token: Token.optional().describe(
      'The token of assistants over HTTP (docs/query.md#assistants); default: a new token at each start.',
    ),
    on_reject: z
      .enum(ON_REJECT)
      .default('fail')
      .describe('If a value does not fit its type: fail refuses the unit, quarantine loads the other rows.'),
    schema_change: z
      .enum(SCHEMA_CHANGE)
      .default('variant')
      .describe(
        "If fields differ from the dataset: variant adds columns and keeps values of another type in a column next to the field's, if no model reads it; evolve adds and widens columns and refuses other types; freeze refuses every change (docs/warehouse.md#types).",
      ),
    schedule_listen: listenAt('127.0.0.1:8090').describe(
      'Where `crawlhouse schedule` answers /healthz, /readyz, /metrics and /webhook, such as 127.0.0.1:8090; default: nowhere.',
    ),
    console_listen: listenAt('127.0.0.1:8092').describe(
      'Where the console listens, such as 127.0.0.1:8092; if set, `crawlhouse schedule` serves it too (docs/console.md).',
    ),
    console_url: ConsoleUrl.optional().describe(
      'The public address of the console, such as https://console.example; OIDC needs it.',
    ),
    console_actions: z
      .boolean()
      .optional()
      .describe(
        'Whether people can start crawls and runs, drop data, and make other changes in the console; default: only on a loopback address without console_oidc.',
      ),
    report: z
      .strictObject({
        client: Given.optional().describe('The recipient.'),
        author: Given.optional().describe('The author; default: crawlhouse.'),
        logo: Given.optional().describe(
          'The path of an image of at most 500 kB, from the project folder: PNG, JPEG, GIF, WebP or SVG.',
        ),
      })
      .prefault({})
      .describe('The letterhead of `crawlhouse report`.'),
    console_oidc: ConsoleOidcSettings.optional().describe(
      'How people sign in to a console that is reachable from other machines (docs/console.md#openid-connect).',
    ),
    metrics_file: Path.optional().describe(
      'A file for the metrics of Prometheus, written after each command that changes the warehouse (docs/operate.md#metrics).',
    ),
    metrics: z
      .strictObject({
        projects: WholeNumber.max(1000)
          .default(20)
          .describe('Number of projects with their own metrics, oldest last crawl first; 0: none.'),
      })
      .prefault({})
      .describe('The content of the metrics (docs/operate.md#metrics).'),
    schedule_grace: z
      .number()
      .min(0)
      .default(60)
      .describe('Seconds for a run to end after `crawlhouse schedule` receives a signal.'),
    webhook_secret: Given.optional().describe(
      'The secret that signs webhooks of the service; a webhook makes `crawlhouse schedule` run immediately.',
    ),
    volume_check: z
      .strictObject({
        min_ratio: z
          .number()
          .min(0)
          .max(1)
          .default(0.5)
          .describe('A crawl below this share of the usual rows is an incident; 0: never.'),
        hold: z
          .boolean()
          .default(false)
          .describe('Whether such a crawl is quarantined until you request it.'),
      })
      .prefault({})
      .describe('Crawls with far fewer rows than the previous crawls (docs/operate.md#alerts).'),
    alerts: AlertSettings.prefault({}).describe(
      'The targets of alerts, and the events that raise them (docs/operate.md#alerts).',
    ),
    tickets: TicketSettings.prefault({}).describe(
      'Where crawlhouse sends tickets (docs/explore.md#tickets).',
    ),
    openlineage: LineageSettings.optional().describe(
      'The receivers of OpenLineage events about inputs and outputs of a run (docs/operate.md#telemetry).',
    ),
  });
