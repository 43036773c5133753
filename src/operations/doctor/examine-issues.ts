import { type Check, look } from '../../core/duckdb/check.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { readPublished } from '../../state/catalogue/read-published.ts';
import { unknownIssueSettings } from '../../state/catalogue/unknown-issue-settings.ts';

/** Whether the published warehouse has the projects and segments that the setting `issues` names. */
export async function examineIssues(settings: Settings, signal: AbortSignal): Promise<Check> {
  return await look(
    'issues',
    async () => {
      const { projects = {}, segments = {} } = settings.issues;
      const named = [...Object.keys(projects), ...Object.keys(segments)];
      if (named.length === 0) return { message: 'no settings of a project or segment' };
      const unknown = await readPublished(settings, (connection) =>
        unknownIssueSettings(connection, settings.issues, signal),
      );
      const [first] = unknown ?? [];
      if (first !== undefined) return { message: first.message, hint: first.hint };
      return {
        message: `settings of ${named} projects${unknown === undefined ? '; nothing published yet' : ''}`,
      };
    },
    signal,
  );
}
