import type { Resources } from '../resources/resources.ts';

const SOURCES = { crawls: 'crawl', projects: 'project' } as const;

/**
 * The `export_failure_reason` if the rows could not be read. Their resource may be deleted while the export waits or
 * runs. For other errors it is the first line, because the rest names our tables.
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
