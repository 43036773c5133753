import { join } from 'node:path';
import { CrawlhouseError } from '../../../core/errors.ts';
import { didYouMean } from '../../../core/nearest-name.ts';
import type { IssueChange, IssueSettings, Severity } from '../../settings/issue-settings.ts';
import { readYaml } from '../../settings/yaml-file.ts';
import { replaceThresholds } from '../text/thresholds.ts';
import { type Issue, loadIssues } from './issues.ts';
import type { SqlFolder } from './sql-folders.ts';

/** What some projects say of an issue. */
export interface IssueSetting {
  readonly isOn: boolean;
  readonly severity: Severity;
  /** Numbers by the names of the thresholds. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** The issues as the settings of a project folder have them. */
export interface TunedIssues {
  readonly issues: readonly TunedIssue[];
  /** Projects with settings of their own, by identifier or name. */
  readonly projects: readonly string[];
}

export interface TunedIssue extends Issue {
  /** That of all projects without their own, then those of `projects` in their order. */
  readonly settings: readonly [IssueSetting, ...IssueSetting[]];
}

/**
 * Reads the issues of some folders, with what the settings of their project change.
 *
 * @throws CrawlhouseError `bad_model` for a file; `bad_settings` naming file, line and key of a setting
 */
export async function loadTunedIssues(folders: readonly SqlFolder[]): Promise<TunedIssues> {
  const issues = await loadIssues(folders);
  const { settings = {}, projectDir = '' } = folders.at(-1)?.issues ?? {};
  const fault = firstFault(issues, settings);
  if (fault === undefined) return tuneIssues(issues, settings);
  const { file, lineOf } = await readYaml(
    join(projectDir, 'crawlhouse.yaml'),
    'crawlhouse.yaml',
    'bad_settings',
  );
  const place = `${file}:${lineOf(fault.path)}: ${fault.path.join('.')}`;
  throw new CrawlhouseError('bad_settings', `${place}: ${fault.message}`, { hint: fault.hint });
}

/** The issues, as settings without a fault change them. */
function tuneIssues(issues: readonly Issue[], { projects = {}, ...all }: IssueSettings): TunedIssues {
  return {
    projects: Object.keys(projects),
    issues: issues.map((issue) => {
      const general = changed(defaultSetting(issue), all[issue.name] as IssueChange | undefined);
      const own = Object.values(projects).map((changes) => changed(general, changes[issue.name]));
      return { ...issue, settings: [general, ...own] };
    }),
  };
}

/** What an issue is where no settings change it. */
export function defaultSetting({ severity, thresholds }: Issue): IssueSetting {
  const defaults = Object.entries(thresholds).map(([name, one]) => [name, one.default]);
  return { isOn: true, severity, thresholds: Object.fromEntries(defaults) };
}

/** A part that is not named stays, and who sets one wants the issue. */
function changed(setting: IssueSetting, change: IssueChange | undefined): IssueSetting {
  if (change === undefined) return setting;
  if (typeof change === 'boolean') return { ...setting, isOn: change };
  const { severity = setting.severity, ...thresholds } = change;
  return { isOn: true, severity, thresholds: { ...setting.thresholds, ...thresholds } };
}

interface Fault {
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
}

function firstFault(issues: readonly Issue[], { projects = {}, ...all }: IssueSettings): Fault | undefined {
  const places = [
    { path: ['issues'], changes: all as Readonly<Record<string, IssueChange>> },
    ...Object.entries(projects).map(([project, changes]) => ({
      path: ['issues', 'projects', project],
      changes,
    })),
  ];
  const names = issues.map(({ name }) => name);
  for (const { path, changes } of places) {
    for (const [name, change] of Object.entries(changes)) {
      const issue = issues.find((one) => one.name === name);
      if (issue === undefined)
        return {
          path: [...path, name],
          message: `there is no issue ${name}`,
          hint: `${didYouMean(name, names)}docs/issues.md lists those that ship`,
        };
      const known = ['severity', ...Object.keys(issue.thresholds)];
      const unknown = Object.keys(change).find((key) => !known.includes(key));
      if (unknown !== undefined)
        return {
          path: [...path, name, unknown],
          message: `${name} has no threshold ${unknown}`,
          hint: `${didYouMean(unknown, known)}keys that work here: ${known.join(', ')}`,
        };
    }
  }
  return undefined;
}

const DECIMALS = 9;

/** A number as SQL writes it, without an exponent. */
export function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(DECIMALS).replace(/\.?0+$/, '');
}

/** What a page has it by, with the numbers of a setting. */
export function definitionOf({ definition }: Issue, { thresholds }: IssueSetting): string {
  return definition.replaceAll(/\$([a-z][a-z0-9_]*)/g, (written, name: string) => {
    const value = thresholds[name];
    return value === undefined ? written : value.toLocaleString('en-US', { maximumFractionDigits: DECIMALS });
  });
}

/** The SQL of an issue with the numbers of a setting. */
export const withNumbers = (sql: string, { thresholds }: IssueSetting): string =>
  replaceThresholds(sql, (name) => numberText(thresholds[name] ?? 0));
