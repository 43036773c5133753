import type { Resources } from '../resources/resources.ts';

const SOURCES = { crawls: 'crawl', projects: 'project' } as const;

/**
 * What an export's `export_failure_reason` says where its rows could not be read: what it reads may be deleted while it
 * waits or runs. Of anything else the first line: what follows speaks of our tables.
 */
export function readingFailure(
  resources: Resources,
  kind: keyof typeof SOURCES,
  id: string,
  error: unknown,
): string {
  if (resources.get(kind, id) === undefined)
    return `the ${SOURCES[kind]} ${id} was deleted before it was exported`;
  const [first] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `the export failed: ${first}`;
}
