import type { Target } from './target.ts';

/** The targets by name; each is read when it is played. */
export const TARGETS: Readonly<Record<string, () => Promise<Target>>> = {
  rison: async () => (await import('./targets/rison.ts')).rison,
  'oql-json': async () => (await import('./targets/oql.ts')).oqlJson,
  'built-oql': async () => (await import('./targets/built-oql.ts')).builtOql,
  webhooks: async () => (await import('./targets/webhooks.ts')).webhooks,
  robots: async () => (await import('./targets/robots.ts')).robots,
  sitemaps: async () => (await import('./targets/sitemaps.ts')).sitemaps,
  'access-logs': async () => (await import('./targets/access-logs.ts')).accessLogs,
  html: async () => (await import('./targets/html.ts')).html,
  'demand-csv': async () => (await import('./targets/demand-csv.ts')).demandCsv,
  segments: async () => (await import('./targets/yaml-files.ts')).segmentsYaml,
  schedules: async () => (await import('./targets/yaml-files.ts')).schedulesYaml,
  pipelines: async () => (await import('./targets/yaml-files.ts')).pipelinesYaml,
  settings: async () => (await import('./targets/yaml-files.ts')).settingsYaml,
  'dot-env': async () => (await import('./targets/dot-env.ts')).dotEnv,
  notes: async () => (await import('./targets/yaml-files.ts')).notesYaml,
  tickets: async () => (await import('./targets/yaml-files.ts')).ticketsYaml,
  crawls: async () => (await import('./targets/yaml-files.ts')).crawlsYaml,
  'sql-headers': async () => (await import('./targets/sql-headers.ts')).sqlHeaders,
  compression: async () => (await import('./targets/compression.ts')).compression,
  bzip2: async () => (await import('./targets/bzip2.ts')).bzip2,
  zip: async () => (await import('./targets/zip.ts')).zip,
  'load-descriptions': async () => (await import('./targets/packages.ts')).loadDescriptions,
  manifests: async () => (await import('./targets/packages.ts')).manifests,
  'csv-records': async () => (await import('./targets/records.ts')).csvRecordsTarget,
  'jsonl-records': async () => (await import('./targets/records.ts')).jsonRecords,
  'read-only-fence': async () => (await import('./targets/read-only-fence.ts')).readOnlyFence,
  'parquet-footer': async () => (await import('./targets/parquet.ts')).parquetFooter,
  parquet: async () => (await import('./targets/parquet.ts')).parquetFile,
  'portable-sql': async () => (await import('./targets/portable-sql.ts')).portableSql,
  'local-service': async () => (await import('./targets/http.ts')).localService,
  console: async () => (await import('./targets/http.ts')).consolePages,
  mcp: async () => (await import('./targets/http.ts')).assistants,
};

/** Targets of the tests of the program itself. */
const PLANTED: typeof TARGETS = { endless: async () => (await import('./targets/endless.ts')).endless };

export async function targetOf(name: string): Promise<Target> {
  const found = TARGETS[name] ?? PLANTED[name];
  if (found === undefined) throw new Error(`no target ${name}; there are ${Object.keys(TARGETS).join(', ')}`);
  return await found();
}
