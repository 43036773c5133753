import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { PostgresUrl } from '../../core/net/postgres-address.ts';
import { bytesOf } from '../../core/text/amounts.ts';
import { address, Given, Prefix } from '../../core/text/setting-types.ts';
import { LogRules } from '../../service/site/logs/log-rules.ts';
import { STORE_NAMES, STORE_SETTINGS } from '../../stores/registry.ts';
import { MOST_COLUMNS } from '../model/field.ts';
import { ON_REJECT, SCHEMA_CHANGE } from '../model/pipeline.ts';
import { AlertSettings } from './alert-settings.ts';
import { ChangeSettings } from './change-settings.ts';
import { ConsoleOidcSettings, ConsoleUrl } from './console-settings.ts';
import { DAYS_OF_CRAWL, IssueSettings } from './issue-settings.ts';

/** The receivers of OpenLineage events (docs/operate.md). */
export const LineageSettings = z.strictObject({
  url: address('an address is expected, such as http://127.0.0.1:5000/api/v1/lineage')
    .optional()
    .describe('An address that each event is posted to.'),
  api_key: z.string().min(1).optional().describe('Sent with each event as a bearer token.'),
  file: z.string().min(1).optional().describe('A file that each event is appended to as a line of JSON.'),
  namespace: z.string().min(1).default('crawlhouse').describe('The namespace of the jobs.'),
  dataset_namespace: z
    .string()
    .min(1)
    .optional()
    .describe("The namespace of the tables; none: that of dbt's integration (docs/operate.md#openlineage)."),
  database: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The database in the names of tables; none: the name of the file of the warehouse (docs/operate.md#openlineage).',
    ),
});

export type LineageSettings = z.output<typeof LineageSettings>;

/** Search Console keeps 16 months. */
const MOST_DAYS = 500;

/** The setting `search_console`. */
const SearchConsoleSettings = z.strictObject({
  property: Given.optional().describe(
    'The property to read, such as sc-domain:example.com; none: the one that covers the website.',
  ),
  days: z
    .int()
    .positive()
    .max(MOST_DAYS)
    .default(90)
    .describe('How many days back a first sync reaches; Search Console keeps 16 months.'),
  endpoint: address('an address is expected')
    .default('https://www.googleapis.com')
    .describe('The address of the API, for tests.'),
});

const EXPECTED = 'an address such as http://proxy.example:3128 is expected';

/** The setting `crawl_proxy`. */
const CrawlProxySettings = z.strictObject({
  url: address(EXPECTED)
    .refine((text) => /^http:\/\/[^/]+\/?$/i.test(text), EXPECTED)
    .describe('The address of a proxy of HTTP.'),
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
/** Bytes of the longest record that DuckDB reads as we set it (`stage/raw-reader.ts`). */
const MOST_RECORD = 16 * 1024 * 1024;
/** `HOST:PORT`. */
const listenAt = (example: string) =>
  z
    .string()
    .regex(/^.+:\d{1,5}$/, `an address is expected, such as ${example}`)
    .optional();
const SINCE = 'all or a date such as 2026-01-31 is expected';

/** A value for a header. A line break or another control character would end it, or begin another one. */
const Token = z
  .string()
  .min(1)
  .refine((text) => !/[^\x21-\x7e]/.test(text), 'it has white space or a character beyond ASCII');

/** A registered application and the grant of a person (docs/client.md, "OAuth2"). */
const OAuthSettings = z.strictObject({
  client_id: Given.describe('The identifier of the application.'),
  client_secret: Given.describe('Its secret.'),
  refresh_token: Given.describe('The refresh token that a person granted; later ones are kept in state_dir.'),
  token_url: address('an address is expected')
    .optional()
    .describe('The address that gives tokens; default: <base_url>/oauth/token.'),
});
export type OAuthSettings = z.output<typeof OAuthSettings>;

/**
 * Every setting, as crawlhouse.yaml writes it; its texts are the reference and the editor's help.
 *
 * @param warehouse the schema of the setting `warehouse`, which the engines give
 */
export const settingsFile = <Warehouse extends z.ZodType>(warehouse: Warehouse) =>
  z.strictObject({
    base_url: address('an address is expected, such as https://service.example')
      .optional()
      .describe('Address of the service, without /api/v2.'),
    access_token: Token.optional().describe(
      'The access token, with the scopes account:read and projects:read.',
    ),
    oauth: OAuthSettings.optional().describe(
      'In place of access_token: an application and the grant of a person (docs/client.md#oauth2).',
    ),
    workspaces: Names.default('all').describe('Ids of the workspaces to read.'),
    projects: Names.default('all').describe('Ids or names of the projects whose crawls are read.'),
    since: z
      .union([z.literal('all'), z.iso.date(SINCE)], { error: SINCE })
      .default('all')
      .describe('How far back a first run goes: all, or a day (UTC) on or after which a crawl ended.'),
    warehouse,
    ledger: PostgresUrl.optional().describe(
      'A ledger that several machines share: postgres://USER:PASSWORD@HOST:PORT/DATABASE?project=NAME (docs/operate.md#a-shared-ledger); none: SQLite in state_dir.',
    ),
    state_dir: Path.default('.crawlhouse').describe(
      'The folder of ledger, packages, working copy and logs; it may be deleted between runs.',
    ),
    memory_limit: Size.default('400MB').describe('Memory of DuckDB; the process takes 100 to 300 MB more.'),
    threads: WholeNumber.default(availableParallelism).describe(
      'Threads of DuckDB; none: the cores of the machine.',
    ),
    concurrency: WholeNumber.default(2).describe('Units at once; the projects take turns.'),
    concurrency_per_project: WholeNumber.default(2).describe('Of them, units of one project.'),
    concurrency_per_store: WholeNumber.default(2).describe(
      'Of them, units whose data exports go to one store.',
    ),
    publish_every: Positive.default(10).describe(
      'Minutes after which a run publishes loaded units while others are still at work.',
    ),
    requests_per_second: Positive.optional().describe(
      'The highest number of requests a second, of all processes that share a ledger; none: no limit.',
    ),
    sweep_days: WholeNumber.default(7).describe(
      'Days between two sweeps of a long list (docs/ledger.md#discovery).',
    ),
    compression: z
      .enum(['auto', 'gzip', 'none'])
      .default('auto')
      .describe('Compression of downloads; auto: gzip, except for a service on this machine.'),
    keep_raw: z
      .union(
        [
          z.enum(['never', 'until_published']),
          z.strictObject({ days: WholeNumber.describe('Days that they stay.') }),
        ],
        {
          error: 'never, until_published or {days: N} is expected',
        },
      )
      .default('never')
      .describe(
        'How long raw files stay on disk: never beyond staging, until they are published, or some days.',
      ),
    keep_exports: z
      .enum(['always', 'never'])
      .default('always')
      .describe('Whether the objects of a data export stay in the store once they are published.'),
    shipped_models: z
      .enum(['all', 'none'])
      .default('all')
      .describe(
        'Whether the models and questions that ship are used, besides those of the project (docs/models.md).',
      ),
    issues: IssueSettings.default({}).describe(
      'Issues that are switched off, or have another severity or other thresholds, for all projects, one, or a segment (docs/explore.md#settings-of-issues).',
    ),
    changes: ChangeSettings.default({}).describe(
      'Which changes of a website are incidents, for all projects or one (docs/operate.md#events).',
    ),
    crawl_days: WholeNumber.max(366)
      .default(DAYS_OF_CRAWL)
      .describe(
        'How many days of log files and search results belong to a crawl (docs/definitions.md#days-of-a-crawl).',
      ),
    unarchive_per_run: WholeNumber.default(5).describe(
      'Archived crawls that one run may restore, if a pipeline says unarchive.',
    ),
    ...STORE_SETTINGS,
    logs: z
      .strictObject({
        megabytes: Positive.default(20).describe('The largest size of a log file.'),
        days: WholeNumber.default(30).describe('Files whose last line is older are removed.'),
      })
      .prefault({})
      .describe('The log files under state_dir; at most 50 are kept (docs/operate.md#logs).'),
    mirror: z
      .strictObject({
        store: z.enum(STORE_NAMES).describe('Where to.'),
        prefix: Prefix.default('mirror').describe('The prefix of the keys of the mirror.'),
        tables: z
          .array(z.string().regex(/^(raw|mart)\.\w+$/, 'a table is expected, such as mart.pages'))
          .min(1)
          .describe('Tables and views of `raw` and `mart`.'),
        format: z
          .enum(['parquet', 'iceberg'])
          .default('parquet')
          .describe('Partitioned Parquet files, or Iceberg tables of such files.'),
        snapshots: WholeNumber.default(5).describe(
          'Snapshots of each Iceberg table that stay readable, the current one among them.',
        ),
      })
      .optional()
      .describe('Tables that each publication copies to a store (docs/query.md).'),
    packages: z
      .strictObject({
        store: z.enum(STORE_NAMES).describe('Where to.'),
        prefix: Prefix.default('packages').describe('The prefix of the keys of packages.'),
      })
      .optional()
      .describe(
        'The store that packages of workers go through on their way to the run (docs/operate.md#workers).',
      ),
    limits: z
      .strictObject({
        answer: Size.default('64MB').describe(
          'The largest JSON answer, such as a page of a list or of a search, or the fields of a crawl.',
        ),
        record: Size.default('16MB')
          .refine((size) => bytesOf(size) <= MOST_RECORD, 'at most 16MB, which DuckDB reads')
          .describe('The longest record of an export; this is also the most that may be set.'),
        fields: WholeNumber.max(MOST_COLUMNS)
          .default(MOST_COLUMNS)
          .describe('The most fields that the records of a dataset may have; it may be lower.'),
        bytes_per_row: Size.default('1MB').describe(
          'The most bytes that the rows of an export may have on average, decompressed; 64 MB are always accepted.',
        ),
        rate: WholeNumber.default(1_000).describe(
          'The lowest rate of a body, in bytes a second, over each minute of waiting.',
        ),
        export_wait: Positive.default(360).describe(
          'Minutes to wait for a data export; the next run waits for the same one.',
        ),
        unarchive_wait: Positive.default(360).describe(
          'Minutes to wait while a crawl is restored from the archive.',
        ),
        unit_time: Positive.default(10).describe(
          'Minutes that the rows of any unit may take to come, plus the time that `unit_rate` gives.',
        ),
        unit_rate: Positive.default(20).describe(
          'The lowest number of rows a second: 72,000 rows may take an hour more than `unit_time`.',
        ),
      })
      .prefault({})
      .describe(
        'Upper limits for everything that the service and the stores send (docs/settings.md#limits).',
      ),
    rendering: z
      .strictObject({
        browser: Path.optional().describe(
          "The path of a Chromium or Chrome; none: the system's, else Playwright's own.",
        ),
        tabs: WholeNumber.max(16)
          .optional()
          .describe('Pages that are rendered at once; none: one a core, as far as there is memory.'),
        media: z.boolean().default(false).describe('Whether images, media and fonts of pages are fetched.'),
      })
      .prefault({})
      .describe('How crawls of websites render pages (docs/crawler.md#rendering).'),
    vitals: z
      .strictObject({
        pages_per_template: z
          .union([z.int().min(0), z.literal('all')])
          .default(0)
          .describe('Pages of each template that are measured; 0: none.'),
        loads: WholeNumber.max(9).default(3).describe('Loads of each page, whose medians count.'),
      })
      .prefault({})
      .describe('How crawls of websites measure web vitals (docs/crawler.md#web-vitals).'),
    crawl_proxy: CrawlProxySettings.optional().describe(
      'The proxy of crawls whose configurations say use_proxy (docs/crawler.md#through-a-proxy).',
    ),
    search_console: SearchConsoleSettings.prefault({}).describe(
      'How demand sync reads Search Console (docs/demand.md#from-search-console-itself).',
    ),
    access_logs: LogRules.prefault({}).describe('How access logs are read (docs/logs.md#privacy).'),
    query_timeout: Positive.default(3600).describe(
      'Seconds after which a query is ended (docs/query.md#limits).',
    ),
    query_memory_limit: Size.default('400MB').describe(
      'Memory of DuckDB for a query; its process is ended at 500 MB more.',
    ),
    query_temp_limit: Size.default('10GB').describe('Bytes that a query may spill to disk.'),
    query_row_limit: WholeNumber.default(100_000_000).describe('Rows that a query may give.'),
    query_result_limit: Size.default('100GB').describe('Bytes that a query may print or write.'),
    mcp_token: Token.optional().describe(
      'The token that assistants give over HTTP (docs/query.md#assistants); none: a new one each time.',
    ),
    on_reject: z
      .enum(ON_REJECT)
      .default('fail')
      .describe(
        'A value that does not survive its type: fail refuses the unit, quarantine loads the other rows.',
      ),
    schema_change: z
      .enum(SCHEMA_CHANGE)
      .default('variant')
      .describe(
        "Fields that differ from the dataset's: variant adds columns and keeps values of another type in a column next to the field's, if no model reads it; evolve adds and widens columns and refuses other types; freeze refuses every change (docs/warehouse.md#types).",
      ),
    schedule_listen: listenAt('127.0.0.1:8090').describe(
      'Where `crawlhouse schedule` answers /healthz, /readyz, /metrics and /webhook, such as 127.0.0.1:8090; none: nowhere.',
    ),
    console_listen: listenAt('127.0.0.1:8092').describe(
      'Where the console listens, such as 127.0.0.1:8092; if set, `crawlhouse schedule` serves it too (docs/console.md).',
    ),
    console_url: ConsoleUrl.optional().describe(
      'The address of the console for people, such as https://console.example; OIDC needs it.',
    ),
    console_actions: z
      .boolean()
      .default(false)
      .describe('Whether operators may start runs and drop data in the console.'),
    report: z
      .strictObject({
        client: Given.optional().describe('For whom it is made.'),
        author: Given.optional().describe('Who makes it; none: crawlhouse.'),
        logo: Given.optional().describe(
          'The path of an image of at most 500 kB, from the project folder: PNG, JPEG, GIF, WebP or SVG.',
        ),
      })
      .prefault({})
      .describe('What stands at the head of `crawlhouse report`.'),
    console_oidc: ConsoleOidcSettings.optional().describe(
      'How people sign in to a console that other machines reach (docs/console.md#openid-connect).',
    ),
    metrics_file: Path.optional().describe(
      'A file that gets the metrics for Prometheus after each command that changes the warehouse (docs/operate.md#metrics).',
    ),
    metrics: z
      .strictObject({
        projects: WholeNumber.max(1000)
          .default(20)
          .describe('Projects with metrics of their own, those whose last crawl is the oldest; 0: none.'),
      })
      .prefault({})
      .describe('What the metrics contain (docs/operate.md#metrics).'),
    schedule_grace: z
      .number()
      .min(0)
      .default(60)
      .describe('Seconds that a run may take to end after `crawlhouse schedule` gets a signal.'),
    webhook_secret: Given.optional().describe(
      'The secret that the service signs its webhooks with; one makes `crawlhouse schedule` run at once.',
    ),
    volume_check: z
      .strictObject({
        min_ratio: z
          .number()
          .min(0)
          .max(1)
          .default(0.5)
          .describe('A crawl below this share of the usual rows is an incident; 0: never.'),
        hold: z.boolean().default(false).describe('Whether such a crawl is held until a person names it.'),
      })
      .prefault({})
      .describe('Crawls with far fewer rows than those before them (docs/operate.md#alerts).'),
    alerts: AlertSettings.prefault({}).describe(
      'The targets of alerts, and the events that raise them (docs/operate.md#alerts).',
    ),
    openlineage: LineageSettings.optional().describe(
      'The receivers of OpenLineage events, which say what a run has read and written (docs/operate.md#telemetry).',
    ),
  });
