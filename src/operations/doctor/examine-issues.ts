import { type Check, look } from '../../core/check.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { readPublished } from '../../state/catalogue/read-published.ts';
import { unknownIssueProjects } from '../../state/catalogue/unknown-issue-projects.ts';

/** Whether the published warehouse has the projects that the setting `issues` names. */
export async function examineIssues(settings: Settings, signal: AbortSignal): Promise<Check> {
  return await look(
    'issues',
    async () => {
      const named = Object.keys(settings.issues.projects ?? {}).length;
      if (named === 0) return { message: 'no settings of one project' };
      const unknown = await readPublished(settings, (connection) =>
        unknownIssueProjects(connection, settings.issues, signal),
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
