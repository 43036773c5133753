import { text } from '../../../../core/duckdb/duckdb.ts';
import { type ChangeSettings, changeRules } from '../../settings/change-settings.ts';
import { rowsOf } from './issue-models.ts';
import { numberText } from './tune-issues.ts';

/**
 * Returns `settings.changes`: a row for each change and rule. Number 0 is for all projects, the others for one project
 * each.
 */
export function changeRows(settings: ChangeSettings): string {
  return rowsOf(
    {
      number: 'INTEGER',
      change: 'VARCHAR',
      is_on: 'BOOLEAN',
      least: 'DOUBLE',
      least_percent: 'DOUBLE',
      days: 'INTEGER',
    },
    changeRules(settings).flatMap((rules, number) =>
      rules.map(({ change, isOn, least, percent, days }) => [
        String(number),
        text(change),
        String(isOn),
        `CAST(${numberText(least)} AS DOUBLE)`,
        `CAST(${numberText(percent)} AS DOUBLE)`,
        String(days),
      ]),
    ),
  );
}

/** Returns `settings.change_projects`: the projects with their own settings, by identifier or name. */
export function changeProjectRows({ projects = {} }: ChangeSettings): string {
  const rows = Object.keys(projects).map((project, at) => [String(at + 1), text(project)]);
  return rowsOf({ number: 'INTEGER', project: 'VARCHAR' }, rows);
}
