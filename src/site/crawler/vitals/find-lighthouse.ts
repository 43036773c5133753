import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { findBrowserPath } from '../render/find-browser.ts';

/** The required version of Lighthouse, because its audits are read by name. */
const VERSION = 13;
const PURPOSE = 'web vitals cannot be measured';

/**
 * Finds Lighthouse and Chromium. No other feature needs both, so this is the only place that looks for them.
 *
 * @param browser the path in the setting
 * @throws CrawlhouseError `missing_feature`
 */
export async function findLighthouse(browser?: string) {
  const version = installedVersion();
  if (version !== null && Number.parseInt(version, 10) === VERSION)
    return { version, browser: await findBrowserPath(browser, PURPOSE) };
  const problem = version === null ? 'is not installed' : `${version} is not version ${VERSION}`;
  throw new CrawlhouseError('missing_feature', `${PURPOSE}: lighthouse ${problem}`, {
    hint: `npm install lighthouse@${VERSION}`,
  });
}

function installedVersion(): string | null {
  try {
    const path = createRequire(import.meta.url).resolve('lighthouse/package.json');
    return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  } catch {
    // It does not exist.
    return null;
  }
}
