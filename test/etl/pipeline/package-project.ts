import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { loadPackages } from '../../../src/etl/pipeline/load-packages.ts';
import type { RunResult } from '../../../src/etl/project/model/runs/run-result.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { sqliteLedger } from '../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { published, rawProjectFolder } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { fields, makePackage } from './load/make-package.ts';

export const { signal } = new AbortController();

/** A project whose units come as packages: no service, everything else real. */
export interface PackageProject {
  readonly folder: string;
  readonly settings: Settings;
  /** A package of a crawl's pages, one for each URL. */
  make(id: string, urls: readonly string[]): Promise<string>;
  load(...folders: readonly string[]): Promise<RunResult>;
  /** Rows of the published warehouse. */
  read(sql: string): Promise<Record<string, unknown>[]>;
  /** The state of a unit in the ledger. */
  stateOf(unit: string): Promise<string | undefined>;
}

export async function packageProject(files: Readonly<Record<string, string>> = {}): Promise<PackageProject> {
  const folder = await rawProjectFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const packages = await temporaryFolder();
  const connection = await temporaryConnection(packages);
  const settings = await loadSettings(folder, {});
  return {
    folder,
    settings,
    make: (id, urls) =>
      makePackage(connection, packages, { id, fields: fields('url'), rows: urls.map((url) => ({ url })) }),
    load: (...folders) => loadPackages(settings, folders, silentLogger, signal),
    read: (sql) => published(connection, folder, sql),
    async stateOf(unit) {
      await using ledger = sqliteLedger(settings.state_dir);
      return (await ledger.units()).find((one) => one.unit === unit)?.status;
    },
  };
}

/** A model of the pages, whose test fails for a page named `bad`. */
export const PAGES_MODEL = {
  'sql/mart/page_urls.sql': `/*
name: mart.page_urls
kind: table
description: The URLs of all crawls.
grain: null
columns: {_crawl_id: The crawl., _project_id: Its project., url: The URL.}
tests:
  - accepted_values: {column: url, values: [a, b, c]}
*/
SELECT _crawl_id, _project_id, url FROM raw.crawl_pages
`,
};
